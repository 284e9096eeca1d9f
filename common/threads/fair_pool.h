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

// A fixed number of named threads that run closures for several askers. These have their turns
// (fair_schedule.h): by class and asker, by the time that their closures have taken; the closures
// of one asker and class begin in the order of submission. However many one has queued, another's
// next begins when one of those that run ends.
//
// Any thread may submit. The queue is bounded as a whole, and for each asker with a share.
class FairPool {
 public:
  struct Asker {
    std::string name;
    Priority priority = Priority::kNormal;
    bool has_share = true;  // Without, it may fill the queue.
  };

  // An asker with a share may have `share_percent` of the queue, at least one entry.
  FairPool(std::string name, size_t num_threads, size_t max_queued, int share_percent);
  ~FairPool();  // Stop.
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;

  // RESOURCE_EXHAUSTED when the queue is full, or the asker's share of it; UNAVAILABLE after Stop.
  absl::Status Submit(const Asker& asker, std::function<void()> work);
  // Runs what is queued, then joins. One thread, none of these.
  void Stop();

 private:
  // What an asker has queued of one class; active in the schedule while there is any.
  struct Line : FairSchedule::Flow {
    Line(Priority priority, FairSchedule::Group& group, size_t& its_askers_queued)
        : Flow(priority, &group), askers_queued(its_askers_queued) {}

    std::deque<std::function<void()>> queue;
    size_t& askers_queued;
  };
  struct Entry {
    FairSchedule::Group group;
    size_t queued = 0;
    std::array<Line, kNumPriorities> lines{Line(Priority::kBatch, group, queued),
                                           Line(Priority::kNormal, group, queued),
                                           Line(Priority::kInteractive, group, queued)};
  };

  void RunWorker();
  // Waits for what is next; nullptr: the pool has stopped. The line stays until it is charged.
  Line* Take(std::function<void()>& work);

  const std::string name_;
  const size_t max_queued_, share_;
  Mutex mutex_;
  CondVar changed_;
  FairSchedule turns_ ABSL_GUARDED_BY(mutex_);  // costs: seconds
  // By name. All go when nothing is queued or runs: what they had counts for nothing then.
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> askers_ ABSL_GUARDED_BY(mutex_);
  size_t queued_ ABSL_GUARDED_BY(mutex_) = 0, running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace acceld
