#include "server/rpc/channel/local_channels.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "common/threads/start_thread.h"
#include "common/threads/thread_priority.h"

namespace acceld::rpc {
namespace {

using Clock = std::chrono::steady_clock;

// How many events one system call may return while all threads are busy.
constexpr size_t kMaxEvents = 32;

// The most time that is charged for serving a channel once. A channel that was served for longer
// had a thread that no other channel wanted, or polled for messages.
constexpr Clock::duration kMaxChargedTime = std::chrono::milliseconds(2);

epoll_event Once(const LocalChannel& channel, uint32_t events) {
  return {.events = events | EPOLLONESHOT, .data = {.ptr = const_cast<LocalChannel*>(&channel)}};
}

bool Register(const UniqueFd& poll, UniqueFd& fd, uint32_t events) {
  epoll_event event = {.events = events, .data = {.ptr = &fd}};
  return poll.valid() && fd.valid() && epoll_ctl(poll.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalChannels>> LocalChannels::Start(int threads) {
  std::unique_ptr<LocalChannels> channels(new LocalChannels());
  channels->poll_ = UniqueFd(epoll_create1(EPOLL_CLOEXEC));
  channels->stop_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  channels->wake_event_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  // stop_ is level-triggered, so that it wakes all threads; wake_event_ is edge-triggered, so that
  // each write wakes one of them.
  if (!Register(channels->poll_, channels->stop_, EPOLLIN) ||
      !Register(channels->poll_, channels->wake_event_, EPOLLIN | EPOLLET)) {
    return absl::ErrnoToStatus(errno, "epoll");
  }
  for (int i = 0; i < threads; ++i) {
    channels->threads_.push_back(
        StartThread("channels", [&channels = *channels] { channels.RunThread(); }));
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
    for (const auto& [key, member] : channels_) left.push_back(member->channel);
  }
  for (const auto& channel : left) channel->Displace(absl::UnavailableError("the daemon stops"));
  if (stop_.valid()) (void)eventfd_write(stop_.get(), 1);
  for (std::thread& thread : threads_) thread.join();
  MutexLock lock(mutex_);
  for (const auto& [key, member] : channels_) {
    if (member->active()) waiting_.Deactivate(*member);
  }
}

absl::Status LocalChannels::Add(std::shared_ptr<LocalChannel> channel, const SessionInfo& session) {
  const LocalChannel* const key = channel.get();
  MutexLock lock(mutex_);
  epoll_event nothing = Once(*key, 0);
  if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, key->socket(), &nothing) != 0) {
    return absl::ErrnoToStatus(errno, "epoll");
  }
  absl::erase_if(groups_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<Group>& known = groups_[session.identity];
  std::shared_ptr<Group> group = known.lock();
  if (group == nullptr) known = group = std::make_shared<Group>();
  channels_.emplace(
      key, std::make_shared<Member>(std::move(channel), session.priority, std::move(group)));
  return absl::OkStatus();
}

void LocalChannels::Watch(const LocalChannel& channel, uint32_t events) {
  epoll_event event = Once(channel, events);
  // This cannot fail for a socket that was added.
  (void)epoll_ctl(poll_.get(), EPOLL_CTL_MOD, channel.socket(), &event);
}

bool LocalChannels::BeginPoll() {
  return threads_.size() > 1 && !polling_.exchange(true, std::memory_order_relaxed);
}

bool LocalChannels::OtherChannelsWait() const {
  if (listening_.load(std::memory_order_relaxed) > 0) return false;
  if (has_waiting_.load(std::memory_order_relaxed)) return true;
  pollfd polled = {.fd = poll_.get(), .events = POLLIN, .revents = 0};
  return poll(&polled, 1, 0) > 0;
}

void LocalChannels::Note(absl::Span<const epoll_event> events) {
  for (const epoll_event& event : events) {
    const auto found = channels_.find(static_cast<LocalChannel*>(event.data.ptr));
    if (found == channels_.end()) continue;
    Member& member = *found->second;
    member.events |= event.events;
    waiting_.Activate(member);
  }
  has_waiting_.store(!waiting_.empty());
}

bool LocalChannels::Listen() {
  epoll_event event;
  const int events = epoll_wait(poll_.get(), &event, 1, -1);
  if (events != 1) return true;
  if (event.data.ptr == &stop_) return false;
  MutexLock lock(mutex_);
  Note({&event, 1});
  return true;
}

std::shared_ptr<LocalChannels::Member> LocalChannels::TakeNext(uint32_t& events) {
  std::array<epoll_event, kMaxEvents> news;
  int num_news = 0;
  // If a thread is idle, that thread receives new events.
  if (listening_.load() == 0) {
    num_news = std::max(0, epoll_wait(poll_.get(), news.data(), kMaxEvents, 0));
  }
  MutexLock lock(mutex_);
  Note({news.data(), static_cast<size_t>(num_news)});
  auto* const next = static_cast<Member*>(waiting_.Next());
  if (next == nullptr) {
    if (serving_ == 0) waiting_.EndBusyPeriod();
    return nullptr;
  }
  waiting_.Deactivate(*next);
  has_waiting_.store(!waiting_.empty());
  events = std::exchange(next->events, 0);
  ++serving_;
  return channels_.find(next->channel.get())->second;
}

void LocalChannels::Serve(Member& member, uint32_t events) {
  const Clock::time_point begin = Clock::now();
  const bool goes_on = member.channel->OnEvents(events);
  const std::chrono::duration<double> took = std::min(Clock::now() - begin, kMaxChargedTime);
  MutexLock lock(mutex_);
  --serving_;
  waiting_.Charge(member, took.count());
  if (goes_on) return;
  if (member.active()) waiting_.Deactivate(member);
  channels_.erase(member.channel.get());
  removed_.NotifyAll();
}

void LocalChannels::RunThread() {
  PrioritizeMessageThread();
  while (true) {
    uint32_t events = 0;
    while (const std::shared_ptr<Member> next = TakeNext(events)) {
      // A thread that has become idle in the meantime may help.
      if (has_waiting_.load(std::memory_order_relaxed) && listening_.load() > 0) {
        (void)eventfd_write(wake_event_.get(), 1);
      }
      Serve(*next, events);
    }
    listening_.fetch_add(1);
    const bool goes_on = has_waiting_.load() || Listen();
    listening_.fetch_sub(1);
    if (!goes_on) return;
  }
}

}  // namespace acceld::rpc
