#pragma once

#include "common/threads/mutex.h"
#include "server/hal/run_control.h"

namespace acceld::hal::cpu {

// Where one thread sleeps until others ring. A ring that comes while the thread is awake counts for
// its next call of Await. No other lock is taken while the bell's is held, so callers of Ring may
// hold locks.
class Bell final : public RunControl::Waker {
 public:
  void Ring() {
    {
      const MutexLock lock(mutex_);
      has_rung_ = true;
    }
    rung_.NotifyOne();
  }
  void Wake() override { Ring(); }
  // Blocks until the bell has rung since the last call.
  void Await() {
    const MutexLock lock(mutex_);
    while (!has_rung_) rung_.Wait(mutex_);
    has_rung_ = false;
  }

 private:
  Mutex mutex_;
  CondVar rung_;
  bool has_rung_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::hal::cpu
