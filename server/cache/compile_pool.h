#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/cache/compile_schedule.h"

namespace acceld::cache {

// The threads that search and compile, in the order of a CompileSchedule. A job that nobody asks
// for any more before it begins is dropped. Jobs of who has queued many run at a lower priority
// (nice(2)): they give way where processors are short, and keep none from who waits for an answer.
//
// A job cannot be interrupted, and may take very long. Once as many jobs as there are threads have
// each run for longer than kPatience, an identity that waits and has nothing running does not wait
// for them to end: its next job begins on an extra thread, and the system shares the processors.
// There are at most MaxExtra such jobs at a time. Of the extra threads one is there from the
// beginning; each, when it is needed for the first time, starts the next.
//
// Any thread may call; nothing blocks but Stop.
class CompilePool {
 public:
  using JobPtr = std::shared_ptr<CompileJob>;
  struct Stats {
    size_t queued = 0, running = 0;
    uint64_t dropped = 0;  // jobs that nobody asked for any more
  };

  // Most jobs take less, and are then worth waiting for: nothing is slowed by an extra one. More
  // would be felt by a person who waits for a small program.
  static constexpr std::chrono::milliseconds kPatience{100};
  // How many jobs may run beyond the threads: several long ones of as many identities do not keep
  // out the next one, and memory stays bounded.
  static constexpr size_t MaxExtra(size_t num_threads) {
    return num_threads == 0 ? 0 : std::max<size_t>(num_threads, 4);
  }

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
  using Clock = std::chrono::steady_clock;
  enum class Kind { kUsual, kOneOfMany };
  struct Run {
    JobPtr job;
    Clock::time_point begin;
  };

  // Sees to it that there are threads for so many jobs at a time.
  void StartThreads(size_t max_running) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The same for one more than run, or would without extra ones, if the bound and the system let
  // it. Only usual threads start others, which have their priority.
  void StartSpareThreads() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunWorker(Kind kind);
  // What a thread of this kind runs next. A usual thread hands what is one of many to the others.
  JobPtr TakeFor(Kind kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The job that may begin now, which is noted as running.
  JobPtr Begin() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(const JobPtr& job, double took_ms) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether a job waits that may begin as an extra one: at ExtraTime.
  bool WantsExtra() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Clock::time_point ExtraTime() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Wakes a usual thread if a job may begin, now or at ExtraTime.
  void WakeForNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Waits until there may be something for a thread of this kind.
  void AwaitChange(Kind kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t num_threads_;
  mutable Mutex mutex_;
  CondVar changed_;      // There may be something for a usual thread,
  CondVar handed_over_;  // or for one of the others.
  std::deque<JobPtr> ones_of_many_ ABSL_GUARDED_BY(mutex_);  // taken, and to be run
  std::vector<Run> running_ ABSL_GUARDED_BY(mutex_);         // with those, the oldest first
  CompileSchedule schedule_ ABSL_GUARDED_BY(mutex_);
  uint64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  size_t max_running_ ABSL_GUARDED_BY(mutex_) = 0;  // jobs for which there are threads
  std::vector<std::thread> usual_threads_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> other_threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::cache
