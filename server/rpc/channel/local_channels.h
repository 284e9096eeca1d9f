#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/mutex.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "server/rpc/channel/local_channel.h"

namespace acceld::rpc {

// The channels of clients on this host, and the few threads that serve them all. Any thread may
// call.
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
  absl::Status Add(std::shared_ptr<LocalChannel> channel);
  // One thread is told, once, when one of `events` or the end of the connection comes.
  void Watch(const LocalChannel& channel, uint32_t events);

  // A thread may look out for the next message of one channel, up to EndPoll, while another one is
  // there for all channels. Whether it is.
  bool BeginPoll();
  // Whether another channel has something that no thread has taken up.
  bool OthersWait() const;
  void EndPoll() { polling_.store(false, std::memory_order_relaxed); }

 private:
  LocalChannels() = default;
  void RunThread();

  UniqueFd poll_, stop_;
  Mutex mutex_;
  CondVar removed_;
  // By address: an event that comes late finds nobody.
  absl::flat_hash_map<const LocalChannel*, std::shared_ptr<LocalChannel>> channels_
      ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> polling_{false};
  std::atomic<int> listening_{0};  // The threads that will take up what comes next.
  std::vector<std::thread> threads_;
};

}  // namespace acceld::rpc
