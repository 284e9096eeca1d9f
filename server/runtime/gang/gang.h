#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/api/priority.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/hal/gang.h"

namespace acceld::runtime {

class DeviceExecutor;
class GangScheduler;
class Task;

// One launch of a program on several devices: a task on each of them, the members, which exchange
// values while they run. The members begin together, when all of them are ready and the
// GangScheduler lets them. If one fails or is cancelled, all that have not ended do, and all of
// them with the same status. Members that exchange no values afterwards may have ended before.
//
// The members are ordinary tasks of their executors otherwise: each waits for its own inputs, has
// its time slices, and is charged to its queue. An executor is not idle before its members have
// told the gang that they have ended. All executors of the gang must be idle before the first of
// them is destroyed. Thread-safe, except for Add.
class Gang : public std::enable_shared_from_this<Gang> {
 public:
  // `participants` has as many members as are added later. `queue` identifies the queue of the
  // session's tasks of one priority; gangs of one queue begin in the order in which they are ready.
  Gang(GangScheduler& scheduler, std::shared_ptr<hal::Gang> participants, uint64_t queue,
       Priority priority);
  ~Gang();
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;

  // Adds a member before any of them is submitted. All members must be submitted in the end, also
  // if the gang is cancelled, as gang and members own each other until all members have ended.
  void Add(DeviceExecutor& executor, int device, std::shared_ptr<Task> task);

  // Adds a function that is called once, when all members have ended, with the gang's status.
  // Before any of them is submitted.
  void OnEnd(std::function<void(const absl::Status&)> done) { on_end_.push_back(std::move(done)); }

  // Differs from those of all other gangs of the scheduler; not 0.
  uint64_t number() const { return number_; }
  const std::shared_ptr<hal::Gang>& participants() const { return participants_; }
  const std::vector<int>& devices() const { return devices_; }  // by participant; constant
  uint64_t queue() const { return queue_; }
  Priority priority() const { return priority_; }

  // Cancels all members, which need not be submitted yet.
  void Cancel(const absl::Status& reason);

  // For the executors, which must not hold their locks, except to call Combine:
  //
  // Notes that members make host calls. Called before the first member is ready.
  void NoteHostCalls() { has_host_calls_.store(true); }
  // Notes that one more member waits for nothing but the others. `by_submission`: the thread that
  // submits the member calls this, and may dispatch the gang.
  void NoteReady(bool by_submission);
  // Combines the status with which a member is going to end with those of the others. Returns the
  // status with which it has to end: the first one that is not OK, if there is any.
  absl::Status Combine(const absl::Status& status);
  // Returns the first status that was not OK; OK if there is none.
  absl::Status failure() const;
  // Combine for an error that is known before the member ends. Runs end that wait for each other;
  // the other members end when this one has, or when they are dispatched.
  void Fail(const absl::Status& error);
  // Notes that nobody can get the results of one more member. Returns whether that holds for all.
  bool NoteUnread() { return num_unread_.fetch_add(1) + 1 == static_cast<int>(devices_.size()); }
  // Notes that a member has ended, after Combine. If the gang has failed, cancels the others.
  void NoteEnded();

  // For the scheduler: lets all members begin.
  void Release();
  // For the scheduler: lets the calling thread, which submits the last member, dispatch all of them
  // if that is possible: if they are very short, and their devices idle. Returns true if it has to
  // call DispatchInline, without locks; the gang has begun. Otherwise nothing has happened.
  bool TakeInline();
  void DispatchInline();
  // Whether members make host calls. While such a run waits for its client, its executor begins
  // later tasks of the queue.
  bool has_host_calls() const { return has_host_calls_.load(); }
  // Whether all members have ended, so that the gang must not begin any more.
  bool has_ended() const { return has_ended_.load(); }

 private:
  struct Member {
    DeviceExecutor* executor;
    std::shared_ptr<Task> task;
  };
  // Returns all members; none when all have ended, as they belong to the gang until then.
  std::vector<Member> Members() const;
  // Cancels all members once the gang has failed, if that was not done before.
  void CancelMembers();

  GangScheduler& scheduler_;
  const uint64_t number_;
  const std::shared_ptr<hal::Gang> participants_;
  const uint64_t queue_;
  const Priority priority_;
  std::vector<int> devices_;
  std::vector<std::function<void(const absl::Status&)>> on_end_;

  std::atomic<int> num_unread_{0};
  std::atomic<bool> has_host_calls_{false};
  std::atomic<bool> has_ended_{false};

  mutable Mutex mutex_;  // nothing is called while it is held
  std::vector<Member> members_ ABSL_GUARDED_BY(mutex_);
  int num_ready_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_ended_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);       // the first
  bool is_cancelled_ ABSL_GUARDED_BY(mutex_) = false;  // CancelMembers has been called
};

}  // namespace acceld::runtime
