#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/types/optional.h"
#include "common/threads/mutex.h"

namespace acceld::runtime {

class Array;

// The donation of an array to one execution. Shared by the execution and by the donor, which gets
// the array back if the execution never starts. Thread-safe.
class Donation {
 public:
  // `program_name` is that of the execution, for messages.
  Donation(std::shared_ptr<const std::string> program_name, int device)
      : program_name_(std::move(program_name)), device_(device) {}

  const std::string& program_name() const { return *program_name_; }
  // The device of the array.
  int device() const { return device_; }

  // Returns the array to the donor, as the execution has failed before it started.
  void Return(std::shared_ptr<Array> array) {
    MutexLock lock(mutex_);
    returned_ = std::move(array);
  }
  // Returns the array if it has been returned; nullptr while the execution may still start, and
  // forever once it has started.
  std::shared_ptr<Array> returned() const {
    MutexLock lock(mutex_);
    return returned_;
  }

 private:
  // Shared by all executions of the program.
  const std::shared_ptr<const std::string> program_name_;
  const int device_;
  mutable Mutex mutex_;
  std::shared_ptr<Array> returned_ ABSL_GUARDED_BY(mutex_);
};

// A donated argument of an execution.
struct DonatedArgument {
  uint32_t argument = 0;
  absl::optional<uint32_t> result;  // the result that should get its memory, if the program says so
  std::shared_ptr<Donation> donation;
};

}  // namespace acceld::runtime
