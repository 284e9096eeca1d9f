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

// The channels of clients on this host, and the few threads that serve them all. While all threads
// are busy, what comes is served in a fair order (fair_schedule.h): by class, identity and channel,
// by the time that serving it has taken. Any thread may call.
class LocalChannels {
 public:
  static absl::StatusOr<std::unique_ptr<LocalChannels>> Start(int threads);
  // Ends the channels that are left. Blocks for what its threads are doing.
  ~LocalChannels();
  LocalChannels(const LocalChannels&) = delete;
  LocalChannels& operator=(const LocalChannels&) = delete;

  // Blocks until none is left, or the deadline has passed.
  void AwaitNone(std::chrono::steady_clock::time_point deadline);

  // Keeps the channel until it has ended. It is told of what it asks for by Watch.
  absl::Status Add(std::shared_ptr<LocalChannel> channel, const SessionInfo& session);
  // One thread is told, once, when one of `events` or the end of the connection comes.
  void Watch(const LocalChannel& channel, uint32_t events);

  // A thread may look out for the next message of one channel, up to EndPoll, while another one is
  // there for all channels. Whether it is.
  bool BeginPoll();
  // Whether another channel has something that no thread has taken up.
  bool OthersWait() const;
  void EndPoll() { polling_.store(false, std::memory_order_relaxed); }

 private:
  using Group = FairSchedule::Group;
  struct Owner {
    std::shared_ptr<Group> group;  // Shared with the other channels of the identity.
  };
  // A channel, active in the schedule while there are events that no thread has taken up.
  struct Member : Owner, FairSchedule::Flow {
    Member(std::shared_ptr<LocalChannel> its_channel, Priority priority,
           std::shared_ptr<Group> its_group)
        : Owner{std::move(its_group)},
          Flow(priority, Owner::group.get()),
          channel(std::move(its_channel)) {}

    const std::shared_ptr<LocalChannel> channel;
    uint32_t events = 0;  // under the mutex
  };

  LocalChannels() = default;
  void RunThread();
  // Waits for events when nothing else is to be done. Whether to go on.
  bool Listen();
  void Note(absl::Span<const epoll_event> events) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What is to be served next; nullptr: nothing.
  std::shared_ptr<Member> TakeNext(uint32_t& events);
  void Serve(Member& member, uint32_t events);

  UniqueFd poll_, stop_;
  // Tells a thread that listens that there is something in the schedule.
  UniqueFd more_;
  Mutex mutex_;
  CondVar removed_;
  // By address: an event that comes late finds nobody.
  absl::flat_hash_map<const LocalChannel*, std::shared_ptr<Member>> channels_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::weak_ptr<Group>> groups_ ABSL_GUARDED_BY(mutex_);
  FairSchedule waiting_ ABSL_GUARDED_BY(mutex_);
  int serving_ ABSL_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> some_wait_{false};  // Whether waiting_ is not empty.
  std::atomic<bool> polling_{false};
  std::atomic<int> listening_{0};  // The threads that will take up what comes next.
  std::vector<std::thread> threads_;
};

}  // namespace acceld::rpc
