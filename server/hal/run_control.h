#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "common/threads/mutex.h"
#include "kernels/cpu/interrupt_handler.h"

namespace acceld::hal {

// Controls one run on a device while the run is queued or running: asks it to end early, or to
// pause so that other runs can use the device. The run follows when it polls next. A run that does
// not poll, because it is inside a library call or its device cannot stop, continues regardless.
//
// Thread-safe.
class RunControl final : public kernels::cpu::InterruptHandler {
 public:
  // Wakes a thread of the run that waits for something else than the functions below.
  class Waker {
   public:
    // Called with a lock held, so it must not block, nor call the control.
    virtual void Wake() = 0;

   protected:
    ~Waker() = default;
  };

  // The functions for the scheduler of runs:
  //
  // Asks the run to end with CANCELLED and undefined results, also while it pauses. Cannot be
  // undone.
  void Cancel();
  // Asks the run to pause, or not to begin, until Resume is called. A thread of the run calls
  // `paused` once, when the run has paused; `paused` is not called if the run ends or is resumed
  // first. Has no effect on a run that is cancelled.
  void Pause(std::function<void()> paused);
  // Lets a paused run continue, and withdraws a Pause that the run has not noticed yet.
  void Resume();
  // Makes the current call of AwaitAnswer return, or the next one if there is none. For the thread
  // that has the answer to a host call of the run.
  void Answer();

  // The functions for streams and for the code that they run:
  //
  // As in InterruptHandler: blocks while the run is to pause; returns false when the run is to end.
  bool WaitWhilePaused() override;
  // Blocks until Answer is called; returns false when the run is to end. The time in which it
  // blocks counts as a pause.
  bool AwaitAnswer();
  // Sets what Cancel and Pause call after they have set `interrupted`, for the time in which a
  // thread of the run waits for others; nullptr: nothing. When the call returns, the previous waker
  // is no longer being called. One thread of the run at a time may have a waker.
  void SetWaker(Waker* waker);
  // Becomes true with Cancel.
  const std::atomic<bool>& cancelled() const { return cancelled_; }
  // True while the run is to pause or to end, so that it has to call WaitWhilePaused. Generated
  // code may poll this flag as one byte.
  const std::atomic<bool>& interrupted() const { return interrupted_; }
  // How long the run has paused or waited for answers in total, not counting a pause or a wait that
  // is still in progress.
  std::chrono::nanoseconds paused_time() const {
    return std::chrono::nanoseconds(paused_ns_.load(std::memory_order_relaxed));
  }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Ends the current pause, if there is one, and wakes the threads inside WaitWhilePaused and
  // AwaitAnswer.
  void EndPause() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Wake() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (waker_ != nullptr) waker_->Wake();
  }

  std::atomic<bool> cancelled_{false};
  std::atomic<bool> interrupted_{false};
  std::atomic<int64_t> paused_ns_{0};  // changed under the mutex
  Mutex mutex_;
  CondVar changed_;
  bool pauses_ ABSL_GUARDED_BY(mutex_) = false;
  bool answered_ ABSL_GUARDED_BY(mutex_) = false;
  Waker* waker_ ABSL_GUARDED_BY(mutex_) = nullptr;
  // The number of threads of the run inside WaitWhilePaused.
  int num_waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  TimePoint paused_since_ ABSL_GUARDED_BY(mutex_);        // valid while num_waiting_ is not 0
  std::function<void()> paused_ ABSL_GUARDED_BY(mutex_);  // callback of Pause, until called
};

}  // namespace acceld::hal
