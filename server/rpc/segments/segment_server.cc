#include "server/rpc/segments/segment_server.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/net/packet_socket.h"
#include "server/rpc/auth/admit_connection.h"

namespace acceld::rpc {
namespace {

// How many requests of one connection are answered before other connections are served.
constexpr int kRequestsPerTurn = 8;
// How long to wait before an upload that found no memory is tried again.
constexpr std::chrono::milliseconds kRetryPause{2};
// How long to wait after a connection could not be accepted, for want of descriptors say.
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::chrono::milliseconds kMaxWait{60'000};

}  // namespace

absl::StatusOr<std::unique_ptr<SegmentServer>> SegmentServer::Start(const RpcContext& rpc,
                                                                    LocalChannels& channels,
                                                                    SharedArrays& shared_arrays,
                                                                    const std::string& socket_path,
                                                                    UniqueFd passed) {
  std::unique_ptr<SegmentServer> server(
      new SegmentServer(rpc, channels, shared_arrays,
                        absl::StrCat(socket_path, segment::kSocketSuffix), std::move(passed)));
  ACCELD_RETURN_IF_ERROR(server->Listen());
  for (int i = 0; i < rpc.options.segment_threads; ++i) {
    server->threads_.emplace_back([&server = *server] { server.RunThread(); });
  }
  return server;
}

absl::Status SegmentServer::Listen() {
  if (!is_passed_) {
    // An earlier daemon may have left the file. The claim on the first socket's path (SocketClaim)
    // covers this path, too.
    if (unlink(path_.c_str()) != 0 && errno != ENOENT) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot remove ", path_));
    }
    ACCELD_ASSIGN_OR_RETURN(listener_, ListenPacketSocket(path_, rpc_.options.access.socket_mode));
  }
  poll_ = UniqueFd(epoll_create1(EPOLL_CLOEXEC));
  stop_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!poll_.valid() || !stop_.valid()) return absl::ErrnoToStatus(errno, "epoll");
  ACCELD_RETURN_IF_ERROR(Arm(EPOLL_CTL_ADD, listener_.get(), &listener_));
  // Not one-shot, so that it wakes all threads.
  epoll_event event = {.events = EPOLLIN, .data = {.ptr = &stop_}};
  if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, stop_.get(), &event) != 0) {
    return absl::ErrnoToStatus(errno, "epoll");
  }
  return absl::OkStatus();
}

SegmentServer::~SegmentServer() {
  if (stop_.valid()) (void)eventfd_write(stop_.get(), 1);
  for (std::thread& thread : threads_) thread.join();
  if (listener_.valid() && !is_passed_) unlink(path_.c_str());
}

absl::Status SegmentServer::Arm(int operation, int fd, void* what) {
  epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data = {.ptr = what}};
  if (epoll_ctl(poll_.get(), operation, fd, &event) != 0) {
    return absl::ErrnoToStatus(errno, "epoll");
  }
  return absl::OkStatus();
}

void SegmentServer::RunThread() {
  while (true) {
    epoll_event event;
    if (epoll_wait(poll_.get(), &event, 1, RunDueWork()) != 1) continue;
    if (event.data.ptr == &stop_) return;
    if (event.data.ptr == &listener_) {
      Accept();
    } else {
      Serve(*static_cast<SegmentConnection*>(event.data.ptr));
    }
  }
}

int SegmentServer::RunDueWork() {
  using Clock = std::chrono::steady_clock;
  SegmentConnection* connection = nullptr;
  bool accepts = false;
  auto next = Clock::time_point::max();
  {
    MutexLock lock(mutex_);
    if (retries_.empty() && unattached_.empty() && !accept_at_.has_value()) return -1;
    const auto now = Clock::now();
    if (!retries_.empty() && retries_.front().first <= now) {
      connection = retries_.front().second;
      retries_.pop_front();
    }
    if (!retries_.empty()) next = std::min(next, retries_.front().first);
    const auto patience = rpc_.options.identify_timeout;
    for (; !unattached_.empty() && unattached_.front().first + patience <= now;
         unattached_.pop_front()) {
      // epoll then reports the connection to a thread, which finds that it is over.
      shutdown(unattached_.front().second->socket(), SHUT_RDWR);
      rpc_.instruments.CountRefusal(observability::Refusal::kSilence);
    }
    if (!unattached_.empty()) next = std::min(next, unattached_.front().first + patience);
    if (accept_at_.has_value() && *accept_at_ <= now) {
      accept_at_.reset();
      accepts = true;
    }
    if (accept_at_.has_value()) next = std::min(next, *accept_at_);
  }
  if (accepts) ArmListener();
  if (connection != nullptr) {
    Serve(*connection);
    return static_cast<int>(kRetryPause.count());
  }
  if (next == Clock::time_point::max()) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(wait, 0, kMaxWait.count()));
}

void SegmentServer::ArmListener() {
  const absl::Status armed = Arm(EPOLL_CTL_MOD, listener_.get(), &listener_);
  if (!armed.ok()) LogError("no more connections for shared memory: ", armed.message());
}

void SegmentServer::Accept() {
  UniqueFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.valid() && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
    // Without a free descriptor the connection stays in the listener's queue, and epoll would
    // report it again at once.
    rpc_.instruments.accept_failures.Add();
    MutexLock lock(mutex_);
    accept_at_ = std::chrono::steady_clock::now() + kAcceptPause;
    return;
  }
  if (fd.valid()) {
    absl::StatusOr<ConnectionPeer> arrival =
        AdmitConnection(fd.get(), rpc_.gate, rpc_.connections, rpc_.instruments);
    if (arrival.ok()) {
      Keep(std::make_unique<SegmentConnection>(rpc_, channels_, shared_arrays_, *shares_,
                                               std::move(fd), std::move(arrival->peer),
                                               [this](SegmentConnection& attached) {
                                                 MutexLock lock(mutex_);
                                                 RemoveUnattached(attached);
                                               }));
    }
  }
  ArmListener();
}

void SegmentServer::Keep(std::unique_ptr<SegmentConnection> connection) {
  std::unique_ptr<SegmentConnection> refused;  // Destroyed without the lock.
  SegmentConnection* const raw = connection.get();
  MutexLock lock(mutex_);
  // A connection beyond the limit is closed, and its client uses gRPC, unless a connection that has
  // not named its session can be ended instead.
  const uint64_t limit = rpc_.options.segment_bytes == 0 ? 0 : rpc_.options.max_segment_connections;
  const bool is_full = connections_.size() >= limit;
  if (limit == 0 || (is_full && unattached_.empty())) {
    refused = std::move(connection);
    return;
  }
  connections_.emplace(raw, std::move(connection));
  if (!Arm(EPOLL_CTL_ADD, raw->socket(), raw).ok()) {
    const auto kept = connections_.find(raw);
    refused = std::move(kept->second);
    connections_.erase(kept);
    return;
  }
  if (!unattached_.empty() && (is_full || unattached_.size() >= rpc_.options.max_unidentified)) {
    // epoll then reports the connection to a thread, which finds that it is over.
    shutdown(unattached_.front().second->socket(), SHUT_RDWR);
    rpc_.instruments.CountRefusal(observability::Refusal::kSilence);
    unattached_.pop_front();
  }
  unattached_.emplace_back(std::chrono::steady_clock::now(), raw);
}

void SegmentServer::Serve(SegmentConnection& connection) {
  switch (connection.Serve(kRequestsPerTurn)) {
    case SegmentConnection::Next::kRead:
      if (Arm(EPOLL_CTL_MOD, connection.socket(), &connection).ok()) return;
      break;
    case SegmentConnection::Next::kRetry: {
      MutexLock lock(mutex_);
      retries_.emplace_back(std::chrono::steady_clock::now() + kRetryPause, &connection);
      return;
    }
    case SegmentConnection::Next::kClose:
      break;
  }
  std::unique_ptr<SegmentConnection> over;  // Destroyed without the lock.
  MutexLock lock(mutex_);
  if (!connection.is_attached()) RemoveUnattached(connection);
  const auto found = connections_.find(&connection);
  over = std::move(found->second);
  connections_.erase(found);
}

void SegmentServer::RemoveUnattached(const SegmentConnection& connection) {
  std::erase_if(unattached_, [&](const auto& silent) { return silent.second == &connection; });
}

}  // namespace acceld::rpc
