#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "common/files/unique_fd.h"
#include "common/status.h"
#include "common/threads/fair_schedule.h"
#include "common/threads/mutex.h"
#include "server/rpc/channel/local_channel.h"

struct epoll_event;

namespace acceld::rpc {

// The channels of all clients on this host, and the few threads that serve them. While all threads
// are busy, the channels with unhandled events are served in a fair order (fair_schedule.h): first
// among priority classes, then among identities, then among channels, by the time that serving them
// has taken. Thread-safe.
class LocalChannels {
 public:
  // Starts this many threads. Errors are the system's.
  static absl::StatusOr<std::unique_ptr<LocalChannels>> Start(int threads);
  // Ends the remaining channels and joins the threads. Blocks until these have finished what they
  // are doing.
  ~LocalChannels();
  LocalChannels(const LocalChannels&) = delete;
  LocalChannels& operator=(const LocalChannels&) = delete;

  // Blocks until there are no channels left, or the deadline has passed.
  void AwaitNone(std::chrono::steady_clock::time_point deadline);

  // Keeps the channel until it has ended. It is told of what it asks for by Watch.
  absl::Status Add(std::shared_ptr<LocalChannel> channel, const SessionInfo& session);
  // One thread is told, once, when one of `events` or the end of the connection comes.
  void Watch(const LocalChannel& channel, uint32_t events);

  // Whether the calling thread may poll for the next message of its channel, until it calls
  // EndPoll. Only one thread may do so at a time, and only if there are other threads to serve the
  // other channels.
  bool BeginPoll();
  // Whether another channel has events that no thread handles, while no thread is idle.
  bool OtherChannelsWait() const;
  void EndPoll() { polling_.store(false, std::memory_order_relaxed); }

 private:
  using Group = FairSchedule::Group;
  // A base class of Member, so that the group exists before the flow that refers to it.
  struct Owner {
    std::shared_ptr<Group> group;  // shared with the other channels of the identity
  };
  // A channel; active in the schedule while it has events that no thread handles.
  struct Member : Owner, FairSchedule::Flow {
    Member(std::shared_ptr<LocalChannel> its_channel, Priority priority,
           std::shared_ptr<Group> its_group)
        : Owner{std::move(its_group)},
          Flow(priority, Owner::group.get()),
          channel(std::move(its_channel)) {}

    const std::shared_ptr<LocalChannel> channel;
    uint32_t events = 0;  // not handled yet; guarded by mutex_
  };

  LocalChannels() = default;
  void RunThread();
  // Waits for an event and enters it in the schedule. False: the thread is to end.
  bool Listen();
  // Enters events in the schedule.
  void Note(absl::Span<const epoll_event> events) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the channel to be served next and stores its events; nullptr: there is none.
  std::shared_ptr<Member> TakeNext(uint32_t& events);
  // Has the channel handle its events, and charges the time to its flow.
  void Serve(Member& member, uint32_t events);

  UniqueFd poll_, stop_;  // an epoll instance, and the eventfd that ends the threads
  // An eventfd that wakes an idle thread because the schedule is not empty.
  UniqueFd wake_event_;
  Mutex mutex_;
  CondVar removed_;
  // By address, so that an event that is reported after its channel was removed is ignored.
  absl::flat_hash_map<const LocalChannel*, std::shared_ptr<Member>> channels_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::weak_ptr<Group>> groups_ ABSL_GUARDED_BY(mutex_);
  FairSchedule waiting_ ABSL_GUARDED_BY(mutex_);
  int serving_ ABSL_GUARDED_BY(mutex_) = 0;  // channels that are being served
  std::atomic<bool> has_waiting_{false};     // whether waiting_ is not empty
  std::atomic<bool> polling_{false};         // between BeginPoll and EndPoll
  std::atomic<int> listening_{0};            // idle threads: they will handle the next events
  std::vector<std::thread> threads_;
};

}  // namespace acceld::rpc
