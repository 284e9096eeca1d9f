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

// The threads that search the cache tiers and compile, in the order that a CompileSchedule decides.
// A job that has lost its last requester before it begins is dropped. Jobs of an identity that has
// many queued run at a lower priority (nice(2)), so that where processors are short they yield to
// jobs that somebody waits for.
//
// A job cannot be interrupted and may take very long. Once as many jobs as there are threads have
// each run for longer than kExtraThreadDelay, an identity that has queued jobs and none running
// need not wait for them to end: its next job starts on an extra thread, and the operating system
// shares the processors. At most MaxExtra jobs run on extra threads at a time. One extra thread of
// each kind is started with the pool; when it gets a job, the next one is started.
//
// Thread-safe; only Stop blocks.
class CompilePool {
 public:
  using JobPtr = std::shared_ptr<CompileJob>;
  // The jobs queued and running now, and counts since the start.
  struct Stats {
    size_t queued = 0, running = 0;
    uint64_t dropped = 0;  // jobs that lost their last requester before they began
  };

  // How long the jobs on the usual threads must have run before an extra one may start. Most jobs
  // take less, so they are worth waiting for and no extra job slows them down. With a larger value
  // a person who waits for a small program would notice the delay.
  static constexpr std::chrono::milliseconds kExtraThreadDelay{100};
  // The most jobs that may run beyond `num_threads`. It is large enough that long jobs of a few
  // identities do not keep out the next identity, and bounded so that memory is.
  static constexpr size_t MaxExtra(size_t num_threads) {
    return num_threads == 0 ? 0 : std::max<size_t>(num_threads, 4);
  }

  // Starts the threads. At most `max_queued` jobs may be queued.
  CompilePool(size_t num_threads, size_t max_queued);
  ~CompilePool();  // Calls Stop.
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // Queues a job for `requesters`, at least one. RESOURCE_EXHAUSTED when the queue is full or the
  // first requester has filled its part of it, UNAVAILABLE when the pool is stopped.
  absl::Status Submit(const JobPtr& job, absl::Span<const Requester> requesters);
  // Adds a requester of a job; without effect once the job has begun.
  void AddRequester(const JobPtr& job, const Requester& requester);
  // Removes a requester of a job. Returns true when it was the last one and the job had not begun:
  // the job is dropped and will not run.
  bool RemoveRequester(const JobPtr& job, const Requester& requester);

  Stats stats() const;
  // Runs what is queued, then joins the threads. Must be called by one thread at a time, not by one
  // of the pool's.
  void Stop();

 private:
  using Clock = std::chrono::steady_clock;
  // kNormalPriority: threads of normal priority. kLowPriority: threads of low priority, for jobs of
  // identities that have many queued.
  enum class Kind { kNormalPriority, kLowPriority };
  // A job that was taken off the schedule, and when.
  struct Run {
    JobPtr job;
    Clock::time_point begin;
  };

  // Makes sure that `max_running` threads of each kind exist.
  void StartThreads(size_t max_running) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Starts threads for one job more than are running (or than num_threads_, if that is larger),
  // unless MaxExtra or the system forbids it. Called by usual threads only, as a new thread
  // inherits the priority of the thread that starts it.
  void StartSpareThreads() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RunWorker(Kind kind);
  // Returns the next job for a thread of this kind, or nullptr. A usual thread hands jobs that are
  // marked is_low_priority_ over to the low-priority threads.
  JobPtr TakeFor(Kind kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the job that may begin at this moment off the schedule and adds it to running_; nullptr
  // when there is none.
  JobPtr Begin() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(const JobPtr& job, double took_ms) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // WantsExtra tells whether a queued job may start as an extra one, at ExtraTime.
  bool WantsExtra() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Clock::time_point ExtraTime() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Wakes a usual thread if a job may begin, at once or at ExtraTime.
  void WakeForNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Waits until there may be a job for a thread of this kind.
  void AwaitChange(Kind kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t num_threads_;
  mutable Mutex mutex_;
  // Signals usual threads that a job may be available.
  CondVar changed_;
  // Signals low-priority threads that a job may be available.
  CondVar handed_over_;
  // Jobs handed over to the low-priority threads, not begun yet.
  std::deque<JobPtr> low_priority_jobs_ ABSL_GUARDED_BY(mutex_);
  // The jobs taken off the schedule, those in low_priority_jobs_ included; the oldest first.
  std::vector<Run> running_ ABSL_GUARDED_BY(mutex_);
  CompileSchedule schedule_ ABSL_GUARDED_BY(mutex_);
  uint64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // The number of jobs for which there are threads.
  size_t max_running_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::thread> normal_threads_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> low_priority_threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::cache
