#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/threads/mutex.h"

namespace acceld::kernels::cpu {

// A pool of threads that help with work that consists of many pieces. No caller ever waits for a
// helper that has not begun: when all cores are busy, the calling thread does all the work. Threads
// are started on demand; the destructor ends them. An idle thread busy-waits for work for about 100
// microseconds, then sleeps. A thread that is woken on the core of its caller moves to another
// core. Thread-safe.
class HelperPool {
 public:
  HelperPool();
  // Waits for the threads to end. Run must not be called any more, and no call may be in progress.
  ~HelperPool();
  HelperPool(const HelperPool&) = delete;
  HelperPool& operator=(const HelperPool&) = delete;

  // Declares that the calling thread is about to sleep for long inside its work, as long as the
  // object lives. If the thread is a helper of a pool, the pool may start another thread in its
  // place. Has no effect on other threads.
  class ScopedBlockingCall {
   public:
    ScopedBlockingCall();
    ~ScopedBlockingCall();
    ScopedBlockingCall(const ScopedBlockingCall&) = delete;
    ScopedBlockingCall& operator=(const ScopedBlockingCall&) = delete;

   private:
    HelperPool* const pool_;
  };

  // Calls `work` on the calling thread and on up to `max_helpers` helpers at the same time. Blocks
  // until all these calls have returned. `work` itself must find out when nothing is left to do.
  // Thread-safe. Must not be called from inside `work`.
  void Run(int max_helpers, absl::FunctionRef<void()> work);

 private:
  // A call of Run.
  struct Job {
    absl::FunctionRef<void()> work;
    int wanted;                  // helpers that may still join; guarded by mutex_
    const int core;              // core that the calling thread was on
    std::atomic<int> active{0};  // helpers inside `work`; changed under mutex_
    // Notified when `active` becomes 0.
    CondVar left;
  };

  // Starts threads until `wanted` are idle or a limit is reached.
  void StartThreads(int wanted) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The main function of a helper.
  void Help();
  // Removes the oldest job from jobs_.
  void RemoveFront() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int cores_;
  Mutex mutex_;
  CondVar wake_;
  std::deque<Job*> jobs_ ABSL_GUARDED_BY(mutex_);  // jobs that want helpers, oldest first
  std::atomic<size_t> num_jobs_{0};                // jobs_.size(), for polling without the lock
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> stopping_{false};            // set under mutex_
  int num_blocked_ ABSL_GUARDED_BY(mutex_) = 0;  // threads that have a ScopedBlockingCall
  int num_idle_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_asleep_ ABSL_GUARDED_BY(mutex_) = 0;  // idle threads that sleep; the others busy-wait
};

}  // namespace acceld::kernels::cpu
