#include "server/hal/run_control.h"

#include <utility>

namespace acceld::hal {

void RunControl::Cancel() {
  const MutexLock lock(mutex_);
  cancelled_.store(true);
  interrupted_.store(true);
  EndPause();
}

void RunControl::Pause(std::function<void()> paused) {
  const MutexLock lock(mutex_);
  if (cancelled_.load()) return;
  pauses_ = true;
  paused_ = std::move(paused);
  interrupted_.store(true);
}

void RunControl::Resume() {
  const MutexLock lock(mutex_);
  interrupted_.store(cancelled_.load());
  EndPause();
}

void RunControl::EndPause() {
  if (num_waiting_ > 0 && pauses_) {
    const std::chrono::nanoseconds paused = std::chrono::steady_clock::now() - paused_since_;
    paused_ns_.fetch_add(paused.count(), std::memory_order_relaxed);
  }
  pauses_ = false;
  paused_ = nullptr;
  changed_.NotifyAll();
}

bool RunControl::GoOn() {
  std::function<void()> paused;
  {
    const MutexLock lock(mutex_);
    if (!pauses_) return !cancelled_.load();
    if (num_waiting_++ == 0) paused_since_ = std::chrono::steady_clock::now();
    paused = std::exchange(paused_, nullptr);
  }
  if (paused != nullptr) paused();
  const MutexLock lock(mutex_);
  while (pauses_) changed_.Wait(mutex_);
  --num_waiting_;
  return !cancelled_.load();
}

}  // namespace acceld::hal
