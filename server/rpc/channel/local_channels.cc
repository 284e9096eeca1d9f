#include "server/rpc/channel/local_channels.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <utility>

namespace acceld::rpc {
namespace {

epoll_event Once(const LocalChannel& channel, uint32_t events) {
  return {.events = events | EPOLLONESHOT, .data = {.ptr = const_cast<LocalChannel*>(&channel)}};
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalChannels>> LocalChannels::Start(int threads) {
  std::unique_ptr<LocalChannels> channels(new LocalChannels());
  channels->poll_ = UniqueFd(epoll_create1(EPOLL_CLOEXEC));
  channels->stop_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  // Stays armed: all threads are to hear it.
  epoll_event stop = {.events = EPOLLIN, .data = {.ptr = nullptr}};
  if (!channels->poll_.valid() || !channels->stop_.valid() ||
      epoll_ctl(channels->poll_.get(), EPOLL_CTL_ADD, channels->stop_.get(), &stop) != 0) {
    return absl::ErrnoToStatus(errno, "epoll");
  }
  for (int i = 0; i < threads; ++i) {
    channels->threads_.emplace_back([&channels = *channels] { channels.RunThread(); });
  }
  return channels;
}

void LocalChannels::AwaitNone(std::chrono::steady_clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (!channels_.empty() && removed_.WaitUntil(mutex_, deadline)) {
  }
}

LocalChannels::~LocalChannels() {
  std::vector<std::shared_ptr<LocalChannel>> left;
  {
    MutexLock lock(mutex_);
    for (const auto& [key, channel] : channels_) left.push_back(channel);
  }
  for (const auto& channel : left) channel->Displace(absl::UnavailableError("the daemon stops"));
  if (stop_.valid()) (void)eventfd_write(stop_.get(), 1);
  for (std::thread& thread : threads_) thread.join();
}

absl::Status LocalChannels::Add(std::shared_ptr<LocalChannel> channel) {
  const LocalChannel* const key = channel.get();
  MutexLock lock(mutex_);
  epoll_event nothing = Once(*key, 0);
  if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, key->socket(), &nothing) != 0) {
    return absl::ErrnoToStatus(errno, "epoll");
  }
  channels_.emplace(key, std::move(channel));
  return absl::OkStatus();
}

void LocalChannels::Watch(const LocalChannel& channel, uint32_t events) {
  epoll_event event = Once(channel, events);
  // Cannot fail for a socket that was added.
  (void)epoll_ctl(poll_.get(), EPOLL_CTL_MOD, channel.socket(), &event);
}

bool LocalChannels::BeginPoll() {
  return threads_.size() > 1 && !polling_.exchange(true, std::memory_order_relaxed);
}

bool LocalChannels::OthersWait() const {
  if (listening_.load(std::memory_order_relaxed) > 0) return false;
  pollfd look = {.fd = poll_.get(), .events = POLLIN, .revents = 0};
  return poll(&look, 1, 0) > 0;
}

void LocalChannels::RunThread() {
  while (true) {
    epoll_event event;
    listening_.fetch_add(1, std::memory_order_relaxed);
    const int events = epoll_wait(poll_.get(), &event, 1, -1);
    listening_.fetch_sub(1, std::memory_order_relaxed);
    if (events != 1) continue;
    if (event.data.ptr == nullptr) return;
    std::shared_ptr<LocalChannel> channel;
    {
      MutexLock lock(mutex_);
      const auto found = channels_.find(static_cast<LocalChannel*>(event.data.ptr));
      if (found == channels_.end()) continue;
      channel = found->second;
    }
    if (channel->OnEvents(event.events)) continue;
    MutexLock lock(mutex_);
    channels_.erase(channel.get());
    removed_.NotifyAll();
  }
}

}  // namespace acceld::rpc
