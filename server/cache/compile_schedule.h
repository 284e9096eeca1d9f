#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/status.h"
#include "common/threads/fair_schedule.h"

namespace acceld::cache {

// A requester: the identity on whose behalf a job runs, and the priority of its request.
struct Requester {
  std::string identity;
  Priority priority = Priority::kNormal;
  bool has_share = true;  // Of the tiers: without, it may fill them.
};

class CompileSchedule;

// A unit of work for the compile pool, with one or more requesters. Guarded by the pool's mutex.
class CompileJob {
 public:
  // `work` is run once, by a thread of the pool, or never.
  explicit CompileJob(std::function<void()> work);
  ~CompileJob();
  CompileJob(const CompileJob&) = delete;
  CompileJob& operator=(const CompileJob&) = delete;

 private:
  friend class CompileSchedule;
  friend class CompilePool;
  struct QueueEntry;

  std::function<void()> work_;
  bool is_queued_ = false;
  // Whether the identity that the job was taken for had more than CompileSchedule::kManyQueued
  // others queued.
  bool is_low_priority_ = false;
  // The queues that the job is in, one for each identity and priority class; empty unless queued.
  std::vector<QueueEntry> queue_entries_;
};

// Decides which job the compile pool runs next: fair queueing between the priority classes and, in
// each class, between identities (fair_schedule.h), by the time that their jobs have taken. A job
// with several requesters is in the queue of each of them, and runs when the first of these queues
// is served.
//
// While other identities wait, an identity may occupy at most half of the threads (at least one);
// when nobody else waits it may occupy all. One identity may fill a quarter of the queue.
//
// Not thread-safe. The schedule has neither threads nor a clock of its own.
class CompileSchedule {
 public:
  using JobPtr = std::shared_ptr<CompileJob>;
  // An identity with more than this many other queued jobs "has many": its job is marked
  // is_low_priority_.
  static constexpr size_t kManyQueued = 4;

  // Schedules jobs for `num_threads` threads; at most `max_queued` may be queued.
  CompileSchedule(size_t num_threads, size_t max_queued);
  ~CompileSchedule();
  CompileSchedule(const CompileSchedule&) = delete;
  CompileSchedule& operator=(const CompileSchedule&) = delete;

  // Queues a new job. RESOURCE_EXHAUSTED when the queue, or the identity's quarter of it, is full.
  absl::Status Add(const JobPtr& job, const Requester& requester);
  // Adds a requester to a queued job; without effect when the job has begun or ended.
  void AddRequester(const JobPtr& job, const Requester& requester);
  // Removes a requester of a job. Returns true when it was the last one and the job had not begun:
  // the job has left the queue.
  bool RemoveRequester(const JobPtr& job, const Requester& requester);
  // Takes the job to run next out of the queue; nullptr when there is none. The job is marked
  // is_low_priority_ when its identity has more than kManyQueued others in the queue.
  JobPtr Take();
  // Like Take, considering only identities that have queued jobs and none running.
  JobPtr TakeOfIdle();
  // Returns whether TakeOfIdle would find a job.
  bool HasIdle() const;
  // Reports that a job returned by Take or TakeOfIdle has ended after `took_ms` milliseconds; the
  // identity is charged for that time.
  void End(const CompileJob& job, double took_ms);

  size_t queued() const { return queued_; }
  size_t running() const { return running_.size(); }

 private:
  friend class CompileJob;
  struct Flow;
  struct Identity;

  Flow& FlowOf(const Requester& requester);
  // Removes the job from one of its queues.
  void Dequeue(CompileJob::QueueEntry& entry);
  // Takes the next job of the waiting identities, except those for which `is_held_back` is true.
  JobPtr TakeExcept(absl::FunctionRef<bool(const Identity&)> is_held_back);
  // Ends the busy period when no job is queued or running: all identities start equal again.
  void EndIfIdle();
  // Returns whether the identity occupies at least half of the threads.
  bool HasItsShare(const Identity& identity) const;

  const size_t num_threads_, max_queued_;
  std::map<std::string, std::unique_ptr<Identity>> identities_;  // of this busy period
  std::set<Identity*> waiting_;  // the identities that have queued jobs
  FairSchedule fair_schedule_;
  size_t queued_ = 0;
  // The flow (identity and priority class) that each running job is charged to.
  std::map<const CompileJob*, Flow*> running_;
};

}  // namespace acceld::cache
