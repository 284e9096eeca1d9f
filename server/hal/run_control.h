#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "common/threads/mutex.h"
#include "kernels/cpu/interrupts.h"

namespace acceld::hal {

// What one run on a device is told while it is queued or running: to end early, or to pause so that
// others have the device. The run hears it when it polls next; a run that never polls, because it
// is inside a library or on a device that cannot stop, goes on and hears nothing.
//
// Thread-safe.
class RunControl final : public kernels::cpu::Interrupts {
 public:
  // For whoever schedules runs.
  //
  // Asks the run to end, with CANCELLED and garbage in its results; also one that pauses. For ever.
  void Cancel();
  // Asks the run to pause, or not to begin, until Resume. `paused` is called once, by a thread of
  // the run, when that has happened; not when the run ends or is resumed before.
  void Pause(std::function<void()> paused);
  // Lets it go on, and takes back a Pause that it has not heard of.
  void Resume();
  // For whoever has an answer that the run waits for, or is about to wait for.
  void Answer();

  // For streams and what they run.
  //
  // As in Interrupts: blocks while the run is to pause; false when it is to end.
  bool GoOn() override;
  // Blocks until the next Answer; false when the run is to end. What it takes counts as a pause.
  bool AwaitAnswer();
  const std::atomic<bool>& cancelled() const { return cancelled_; }
  // Whether GoOn has something to say. One byte that generated code may poll.
  const std::atomic<bool>& interrupted() const { return interrupted_; }
  // How long it has paused or waited for answers, without what goes on.
  std::chrono::nanoseconds paused_time() const {
    return std::chrono::nanoseconds(paused_ns_.load(std::memory_order_relaxed));
  }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  void EndPause() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<bool> cancelled_{false};
  std::atomic<bool> interrupted_{false};
  std::atomic<int64_t> paused_ns_{0};  // Changed under the mutex.
  Mutex mutex_;
  CondVar changed_;
  bool pauses_ ABSL_GUARDED_BY(mutex_) = false;
  bool answered_ ABSL_GUARDED_BY(mutex_) = false;
  int num_waiting_ ABSL_GUARDED_BY(mutex_) = 0;           // threads of the run inside GoOn
  TimePoint paused_since_ ABSL_GUARDED_BY(mutex_);        // while num_waiting_ is not 0
  std::function<void()> paused_ ABSL_GUARDED_BY(mutex_);  // until it is called
};

}  // namespace acceld::hal
