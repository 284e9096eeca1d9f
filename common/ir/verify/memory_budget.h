#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::ir {

// The memory that may be built from one input. A small input can lead to much memory: by text that
// uses an alias, by bytecode that refers by number, by an op that is replaced by many. Code that
// builds something which the input does not contain byte by byte charges it here first; copies are
// charged like their originals. Thread-compatible.
class MemoryBudget {
 public:
  // Returns the budget for reading an input of this size: a multiple of it and a constant, up to a
  // limit.
  static MemoryBudget ForReading(int64_t input_bytes);
  // Returns the budget for copying the functions of a program of this size in memory.
  static MemoryBudget ForCopies(int64_t program_bytes);

  // Charges `bytes`. RESOURCE_EXHAUSTED when they exceed the budget: "<what>: the program would
  // take more than 134898688 bytes of memory, the budget for 1330 bytes of input". Also returns the
  // error of CheckMayContinue (common/memory/allocation.h).
  absl::Status Charge(int64_t bytes, absl::string_view what);

  int64_t used_bytes() const { return used_bytes_; }
  int64_t limit_bytes() const { return limit_bytes_; }

 private:
  MemoryBudget(int64_t source_bytes, absl::string_view source, int64_t limit_bytes)
      : source_bytes_(source_bytes), source_(source), limit_bytes_(limit_bytes) {}

  int64_t source_bytes_;
  absl::string_view source_;  // "of input" or "of program", for the message
  int64_t limit_bytes_;
  int64_t used_bytes_ = 0;
};

}  // namespace acceld::ir
