#include "client/transport/bulk/segment_pool.h"

#include <algorithm>
#include <utility>

namespace acceld::client {

// Holds a connection for the duration of one transfer.
class SegmentPool::ScopedChannel {
 public:
  explicit ScopedChannel(SegmentPool& pool) : pool_(pool), channel_(pool.Take()) {}
  ~ScopedChannel() {
    if (channel_ != nullptr) pool_.GiveBack(std::move(channel_));
  }
  SegmentChannel* channel() const { return channel_.get(); }

 private:
  SegmentPool& pool_;
  std::unique_ptr<SegmentChannel> channel_;
};

absl::Status SegmentPool::Upload(uint64_t handle, const UploadSource& source) {
  const ScopedChannel turn(*this);
  if (turn.channel() == nullptr) return absl::UnavailableError("no shared memory");
  return turn.channel()->Upload(handle, source);
}

absl::Status SegmentPool::Download(uint64_t transfer_id, ByteSink& sink) {
  const ScopedChannel turn(*this);
  if (turn.channel() == nullptr) return absl::UnavailableError("no shared memory");
  return turn.channel()->Download(transfer_id, sink);
}

void SegmentPool::Watch() { const ScopedChannel turn(*this); }

std::unique_ptr<SegmentChannel> SegmentPool::Take() {
  SocketEndpoint endpoint;
  {
    MutexLock lock(mutex_);
    if (endpoint_.path.empty()) return nullptr;
    if (!idle_.empty()) {
      std::unique_ptr<SegmentChannel> channel = std::move(idle_.back());
      idle_.pop_back();
      busy_.push_back(channel.get());
      return channel;
    }
    endpoint = endpoint_;
  }
  absl::StatusOr<std::unique_ptr<SegmentChannel>> opened =
      SegmentChannel::Open(endpoint, session_token_);
  MutexLock lock(mutex_);
  // For example, this process may see another file system than the daemon. gRPC works in any case.
  if (!opened.ok()) endpoint_.path.clear();
  if (endpoint_.path.empty()) return nullptr;
  busy_.push_back(opened->get());
  return *std::move(opened);
}

void SegmentPool::GiveBack(std::unique_ptr<SegmentChannel> channel) {
  MutexLock lock(mutex_);
  busy_.erase(std::find(busy_.begin(), busy_.end(), channel.get()));
  if (channel->usable()) idle_.push_back(std::move(channel));
}

void SegmentPool::Cancel() {
  MutexLock lock(mutex_);
  endpoint_.path.clear();
  for (SegmentChannel* channel : busy_) channel->Interrupt();
}

}  // namespace acceld::client
