#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/types/optional.h"
#include "common/threads/mutex.h"

namespace acceld::runtime {

class Array;

// An array that was given to one execution: shared by the execution and by whoever gave the array
// and wants it back if the execution never starts. Thread-safe.
class Donation {
 public:
  // `program_name` is the execution's, for messages.
  Donation(std::shared_ptr<const std::string> program_name, int device)
      : program_name_(std::move(program_name)), device_(device) {}

  const std::string& program_name() const { return *program_name_; }
  // Of the array.
  int device() const { return device_; }

  // The execution has failed before it started: this array is as it was.
  void Return(std::shared_ptr<Array> array) {
    MutexLock lock(mutex_);
    returned_ = std::move(array);
  }
  // The array once it has been returned; nullptr while the execution may start, and for good when
  // it has.
  std::shared_ptr<Array> returned() const {
    MutexLock lock(mutex_);
    return returned_;
  }

 private:
  const std::shared_ptr<const std::string> program_name_;  // Shared by all its executions.
  const int device_;
  mutable Mutex mutex_;
  std::shared_ptr<Array> returned_ ABSL_GUARDED_BY(mutex_);
};

// An argument of an execution that is donated.
struct DonatedArgument {
  uint32_t argument = 0;
  absl::optional<uint32_t> result;  // that its memory is meant for
  std::shared_ptr<Donation> donation;
};

}  // namespace acceld::runtime
