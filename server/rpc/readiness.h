#pragma once

#include <functional>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::rpc {

// Whether the daemon accepts new sessions and Run calls. Those that are open go on in any case.
// Thread-safe; nothing blocks.
class Readiness {
 public:
  // Sets a function that is called at each change, by one thread at a time. The function must not
  // block or call this object. To be called before other threads use this object.
  void OnChange(std::function<void(bool ready)> on_change) {
    MutexLock lock(mutex_);
    on_change_ = std::move(on_change);
  }

  // UNAVAILABLE, with the reason, while nothing new is accepted.
  absl::Status Check() const {
    MutexLock lock(mutex_);
    return refusal_;
  }
  bool ready() const { return Check().ok(); }

  // Stops accepting anything new, until Undo. Has no effect after Stop.
  void Drain() {
    MutexLock lock(mutex_);
    if (!stopping_) Refuse("the daemon is draining: it takes no new sessions");
  }
  // Undoes Drain. FAILED_PRECONDITION after Stop, which cannot be undone.
  absl::Status Undo() {
    MutexLock lock(mutex_);
    if (stopping_) return absl::FailedPreconditionError("the daemon is shutting down");
    refusal_ = absl::OkStatus();
    if (on_change_ != nullptr) on_change_(true);
    return absl::OkStatus();
  }
  // Stops accepting anything new, for good.
  void Stop() {
    MutexLock lock(mutex_);
    stopping_ = true;
    Refuse("the daemon is shutting down");
  }

 private:
  void Refuse(absl::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    refusal_ = absl::UnavailableError(why);
    if (on_change_ != nullptr) on_change_(false);
  }

  mutable Mutex mutex_;
  std::function<void(bool)> on_change_ ABSL_GUARDED_BY(mutex_);
  absl::Status refusal_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::rpc
