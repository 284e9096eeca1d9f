#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "common/mutex.h"
#include "common/status.h"
#include "server/cache/compile_schedule.h"

namespace acceld::cache {

// The threads that search and compile, in the order of a CompileSchedule. A job that nobody asks
// for any more before it begins is dropped. Jobs of who has queued many run at a lower priority
// (nice(2)): they give way where processors are short, and keep none from who waits for an answer.
//
// Any thread may call; nothing blocks but Stop.
class CompilePool {
 public:
  using JobPtr = std::shared_ptr<CompileJob>;
  struct Stats {
    size_t queued = 0, running = 0;
    uint64_t dropped = 0;  // jobs that nobody asked for any more
  };

  CompilePool(size_t num_threads, size_t max_queued);
  ~CompilePool();  // Stop.
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // Queues a job for the first of those who ask, of whom there is one at least, and the others.
  // RESOURCE_EXHAUSTED when there is no room, UNAVAILABLE when the pool is stopped.
  absl::Status Submit(const JobPtr& job, absl::Span<const Asker> askers);
  void AddAsker(const JobPtr& job, const Asker& asker);
  // True when the job is dropped: it will not be run.
  bool RemoveAsker(const JobPtr& job, const Asker& asker);

  Stats stats() const;
  // Runs what is queued, then joins. One thread, none of these.
  void Stop();

 private:
  enum class Kind { kUsual, kOneOfMany };
  void RunWorker(Kind kind);
  // What a thread of this kind runs next. A usual thread hands what is one of many to the others.
  JobPtr TakeFor(Kind kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_running_;
  mutable Mutex mutex_;
  CondVar changed_;      // There may be something for a usual thread,
  CondVar handed_over_;  // or for one of the others.
  std::deque<JobPtr> ones_of_many_ ABSL_GUARDED_BY(mutex_);  // taken, and to be run
  size_t running_ ABSL_GUARDED_BY(mutex_) = 0;               // with those
  CompileSchedule schedule_ ABSL_GUARDED_BY(mutex_);
  uint64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace acceld::cache
