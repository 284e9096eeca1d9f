#include "server/hal/run_control.h"

#include <utility>

namespace acceld::hal {

void RunControl::Cancel() {
  const MutexLock lock(mutex_);
  cancelled_.store(true);
  interrupted_.store(true);
  EndPause();
  Wake();
}

void RunControl::Pause(std::function<void()> paused) {
  const MutexLock lock(mutex_);
  if (cancelled_.load()) return;
  pauses_ = true;
  paused_ = std::move(paused);
  interrupted_.store(true);
  changed_.NotifyAll();
  Wake();
}

void RunControl::Resume() {
  const MutexLock lock(mutex_);
  interrupted_.store(cancelled_.load());
  EndPause();
}

void RunControl::Answer() {
  const MutexLock lock(mutex_);
  answered_ = true;
  changed_.NotifyAll();
}

bool RunControl::AwaitAnswer() {
  const TimePoint begin = std::chrono::steady_clock::now();
  const MutexLock lock(mutex_);
  while (!answered_ && !cancelled_.load()) changed_.Wait(mutex_);
  answered_ = false;
  const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin;
  paused_ns_.fetch_add(waited.count(), std::memory_order_relaxed);
  return !cancelled_.load();
}

void RunControl::SetWaker(Waker* waker) {
  const MutexLock lock(mutex_);
  waker_ = waker;
}

void RunControl::EndPause() {
  if (num_waiting_ > 0 && pauses_) {
    const TimePoint now = std::chrono::steady_clock::now();
    const std::chrono::nanoseconds paused = now - paused_since_;
    paused_ns_.fetch_add(paused.count(), std::memory_order_relaxed);
    // The next pause may begin before the waiting threads have woken from this one.
    paused_since_ = now;
  }
  pauses_ = false;
  paused_ = nullptr;
  changed_.NotifyAll();
}

bool RunControl::WaitWhilePaused() {
  mutex_.Lock();
  if (pauses_ && num_waiting_++ == 0) paused_since_ = std::chrono::steady_clock::now();
  const bool waits = pauses_;
  while (pauses_) {
    if (const std::function<void()> paused = std::exchange(paused_, nullptr); paused != nullptr) {
      mutex_.Unlock();
      paused();
      mutex_.Lock();
    } else {
      changed_.Wait(mutex_);
    }
  }
  if (waits) --num_waiting_;
  mutex_.Unlock();
  return !cancelled_.load();
}

}  // namespace acceld::hal
