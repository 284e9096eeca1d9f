#pragma once

#include <atomic>
#include <cstddef>
#include <deque>

#include "absl/functional/function_ref.h"
#include "common/threads/mutex.h"

namespace acceld::kernels::cpu {

// Threads that help with work in many pieces. Get: those for parallel loops, one set for the
// process, so that streams share the cores instead of each bringing a team. Nobody ever waits for a
// thread that has not begun: when all cores are busy, the calling thread does the work alone.
// Threads start when first wanted and live until the process ends; without work they look out for
// it for some microseconds, then sleep. One that is woken on its caller's core goes to another.
class HelperPool {
 public:
  static HelperPool& Get();
  // Must live until the process ends.
  HelperPool();

  // While it lives, the calling thread, if it is one of Get()'s helpers, is about to sleep inside
  // its work for long, so that another may be started in its place. Does nothing on other threads.
  class Absence {
   public:
    Absence();
    ~Absence();
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;

   private:
    HelperPool* const pool_;
  };

  // Calls `work` on the calling thread and on up to `max_helpers` others at the same time. Blocks
  // until all these calls have returned; `work` itself must find out that nothing is left to do.
  // Thread-safe. Must not be called from inside `work`.
  void Run(int max_helpers, absl::FunctionRef<void()> work);

 private:
  struct Job {
    absl::FunctionRef<void()> work;
    int wanted;                  // helpers that may still join; guarded by mutex_
    const int core;              // that the caller was on
    std::atomic<int> active{0};  // helpers inside `work`; changed under mutex_
    CondVar left;
  };

  void StartThreads(int wanted) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Help();
  void RemoveFront() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int cores_;
  Mutex mutex_;
  CondVar wake_;
  std::deque<Job*> jobs_ ABSL_GUARDED_BY(mutex_);  // that want helpers, oldest first
  std::atomic<size_t> num_jobs_{0};                // jobs_.size(), to be watched without the lock
  int num_threads_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_absent_ ABSL_GUARDED_BY(mutex_) = 0;  // of the threads, asleep inside their work
  int num_idle_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_asleep_ ABSL_GUARDED_BY(mutex_) = 0;  // of the idle ones, who look out at first
};

}  // namespace acceld::kernels::cpu
