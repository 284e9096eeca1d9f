#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::ir {

// What may be built from one input. Text that names an alias, bytecode that refers by number, an op
// that is written out as many: each lets a small input stand for much memory. Whoever builds
// something that the input does not hold byte by byte charges it here first; copies are charged
// like what they are copied from. Thread-compatible.
class MemoryBudget {
 public:
  // The budget for reading an input of this size: a multiple of it and a constant, up to a limit.
  static MemoryBudget ForReading(int64_t input_bytes);
  // The budget for what a program of this size in memory becomes when its functions are copied.
  static MemoryBudget ForCopies(int64_t program_bytes);

  // Counts `bytes` more. RESOURCE_EXHAUSTED when they do not fit: "<what>: the program would take
  // more than 134898688 bytes of memory, the budget for 1330 bytes of input". Also when
  // memory has run out (allocation.h).
  absl::Status Charge(int64_t bytes, absl::string_view what);

  int64_t used_bytes() const { return used_bytes_; }
  int64_t limit_bytes() const { return limit_bytes_; }

 private:
  MemoryBudget(int64_t source_bytes, absl::string_view source, int64_t limit_bytes)
      : source_bytes_(source_bytes), source_(source), limit_bytes_(limit_bytes) {}

  int64_t source_bytes_;
  absl::string_view source_;  // what has that size, for the message; a literal
  int64_t limit_bytes_;
  int64_t used_bytes_ = 0;
};

}  // namespace acceld::ir
