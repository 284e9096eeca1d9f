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

// For whom work is done, and how urgent it is for them.
struct Asker {
  std::string identity;
  Priority priority = Priority::kNormal;
  bool has_share = true;  // Of the tiers: without, it may fill them.
};

class CompileSchedule;

// Work of the compile pool that one or more ask for.
class CompileJob {
 public:
  explicit CompileJob(std::function<void()> work);
  ~CompileJob();
  CompileJob(const CompileJob&) = delete;
  CompileJob& operator=(const CompileJob&) = delete;

 private:
  friend class CompileSchedule;
  friend class CompilePool;
  struct Place;

  std::function<void()> work_;
  bool is_queued_ = false;
  bool is_one_of_many_ = false;  // Of a job that was taken.
  std::vector<Place> places_;    // while it is queued
};

// Decides which job the compile pool runs next: fair queueing between identities, in each priority
// class and between these (fair_schedule.h), by the time that their jobs have taken. A job that
// several ask for stands in the queue of each, and is run when the first of them has its turn.
//
// While others wait, an identity has at most half of the threads, and one at least; with nobody
// else waiting it may have all. One identity may fill a quarter of the queue.
//
// Not thread-safe; has neither threads nor a clock.
class CompileSchedule {
 public:
  using JobPtr = std::shared_ptr<CompileJob>;
  static constexpr size_t kMany = 4;

  CompileSchedule(size_t num_threads, size_t max_queued);
  ~CompileSchedule();
  CompileSchedule(const CompileSchedule&) = delete;
  CompileSchedule& operator=(const CompileSchedule&) = delete;

  // Queues a new job. RESOURCE_EXHAUSTED when the queue, or the share of the identity, is full.
  absl::Status Add(const JobPtr& job, const Asker& asker);
  // One more asks for a job; changes nothing when it runs already, or has ended.
  void AddAsker(const JobPtr& job, const Asker& asker);
  // One who asked no longer does. True when nobody does any more and the job has not begun: it has
  // left the queue.
  bool RemoveAsker(const JobPtr& job, const Asker& asker);
  // The job to run now, which has left the queue; nullptr when there is none. It is one of many
  // when the identity whose turn this is has more than kMany others in the queue.
  JobPtr Take();
  // The same among the identities that wait and have nothing running.
  JobPtr TakeOfIdle();
  // Whether there is such an identity.
  bool HasIdle() const;
  // Says that a job that was taken has ended, and how much time it took.
  void End(const CompileJob& job, double took_ms);

  size_t queued() const { return queued_; }
  size_t running() const { return running_.size(); }

 private:
  friend class CompileJob;
  struct Flow;
  struct Identity;

  Flow& FlowOf(const Asker& asker);
  void Leave(CompileJob::Place& place);
  // The next job of the identities that wait, without those that are held back.
  JobPtr TakeExcept(absl::FunctionRef<bool(const Identity&)> is_held_back);
  // Forgets what everybody used when nothing is left to do.
  void EndIfIdle();
  // Whether the identity has its share of the threads already.
  bool HasItsShare(const Identity& identity) const;

  const size_t num_threads_, max_queued_;
  std::map<std::string, std::unique_ptr<Identity>> identities_;  // of this busy period
  std::set<Identity*> waiting_;                                  // those with queued jobs
  FairSchedule turns_;
  size_t queued_ = 0;
  std::map<const CompileJob*, Flow*> running_;  // whose turn each is
};

}  // namespace acceld::cache
