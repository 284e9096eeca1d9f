#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/status.h"
#include "common/threads/fair_schedule.h"
#include "common/threads/mutex.h"

namespace acceld {

// A fixed number of named threads that run closures for several requesters. The time of the threads
// is shared fairly (fair_schedule.h) between priority classes and between the requesters of a
// class, by the time that their closures have taken. The closures of one requester and class begin
// in the order of submission. However many closures a requester has queued, the next closure of
// another requester begins as soon as one of the running closures ends.
//
// Thread-safe. The length of the queue is limited as a whole and for each requester that has a
// share.
class FairPool {
 public:
  // A requester of work. Requesters with the same name are the same one, which may submit work in
  // several priority classes.
  struct Requester {
    std::string name;
    Priority priority = Priority::kNormal;
    bool has_share = true;  // Without, it may fill the queue.
  };

  // A requester with a share may have `share_percent` of the queue's entries, but at least one.
  FairPool(std::string name, size_t num_threads, size_t max_queued, int share_percent);
  ~FairPool();  // Calls Stop.
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;

  // Queues `work`. RESOURCE_EXHAUSTED when the queue or the requester's share of it is full;
  // UNAVAILABLE after Stop.
  absl::Status Submit(const Requester& requester, std::function<void()> work);
  // Runs the closures that are queued, then joins the threads; blocks until that is done. To be
  // called by one thread, which is none of the pool's.
  void Stop();

 private:
  // The queued closures of a requester in one class; active in the schedule while there are any.
  struct RequestQueue : FairSchedule::Flow {
    RequestQueue(Priority priority, FairSchedule::Group& group, size_t& its_requesters_queued)
        : Flow(priority, &group), requesters_queued(its_requesters_queued) {}

    std::deque<std::function<void()>> queue;
    size_t& requesters_queued;
  };
  // A requester with its closures of all classes.
  struct Entry {
    FairSchedule::Group group;
    size_t queued = 0;
    std::array<RequestQueue, kNumPriorities> lines{
        RequestQueue(Priority::kBatch, group, queued),
        RequestQueue(Priority::kNormal, group, queued),
        RequestQueue(Priority::kInteractive, group, queued)};
  };

  void RunWorker();
  // Waits for the next closure, moves it to `work`, charges its line with the expected cost and
  // returns the line, which exists until it is charged with the rest. nullptr: the pool has
  // stopped.
  RequestQueue* Take(std::function<void()>& work);

  const std::string name_;
  const size_t max_queued_, share_;
  Mutex mutex_;
  CondVar changed_;
  FairSchedule fair_schedule_ ABSL_GUARDED_BY(mutex_);  // costs: seconds
  // By name. Cleared when nothing is queued or runs: the time that they have used no longer counts
  // then.
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> requesters_ ABSL_GUARDED_BY(mutex_);
  size_t queued_ ABSL_GUARDED_BY(mutex_) = 0, running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace acceld
