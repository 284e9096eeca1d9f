#include "server/rpc/auth/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/rate_limit.h"
#include "common/threads/start_thread.h"

namespace acceld::rpc {
namespace {

constexpr int kBacklog = 4096;
// How long to wait after a connection could not be accepted, for want of descriptors say.
constexpr std::chrono::milliseconds kPause{100};

// Listens at one address. A `port` of 0 is replaced by a free one.
absl::StatusOr<UniqueFd> BindOne(const addrinfo& info, uint16_t& port) {
  UniqueFd socket(::socket(info.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_storage address{};
  std::memcpy(&address, info.ai_addr, info.ai_addrlen);
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
  in_port_t& wire_port = info.ai_family == AF_INET6 ? v6.sin6_port : v4.sin_port;
  wire_port = htons(port);
  const int yes = 1;
  // A socket at the unspecified address of IPv6 (::) accepts connections over IPv4, too; one at any
  // other address of IPv6 does not.
  const int only_v6 = IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr) ? 0 : 1;
  socklen_t size = sizeof(address);
  if (!socket.valid() ||
      // Lets a restarted daemon listen while connections of the daemon before are in TIME_WAIT.
      setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      (info.ai_family == AF_INET6 &&
       setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof(only_v6)) != 0) ||
      bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), info.ai_addrlen) != 0 ||
      listen(socket.get(), kBacklog) != 0 ||
      getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return absl::UnavailableError(std::strerror(errno));
  }
  port = ntohs(wire_port);
  return socket;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> Listener::BindUnix(const std::string& path, mode_t mode) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return absl::ErrnoToStatus(errno, "socket");
  const auto fail = [&path](const char* what) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on unix:", path, ": ", what, ": ", std::strerror(errno)));
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof(address.sun_path) - 1));
  // bind(2) creates the file with the socket's own mode, so other users can never connect before
  // chmod sets the mode that was asked for.
  if (fchmod(socket.get(), 0600) != 0) return fail("fchmod");
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return fail("bind");
  }
  if (listen(socket.get(), kBacklog) != 0) return fail("listen");
  if (chmod(path.c_str(), mode) != 0) return fail("chmod");
  return Adopt(std::move(socket));
}

absl::StatusOr<std::vector<std::unique_ptr<Listener>>> Listener::BindTcp(const std::string& host,
                                                                         uint16_t& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), "0", &hints, &found);
  if (error != 0) {
    return absl::NotFoundError(absl::StrCat("cannot listen on ", host, ": ", gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
  std::vector<std::unique_ptr<Listener>> listeners;
  absl::Status failure;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    absl::StatusOr<UniqueFd> socket = BindOne(*address, port);
    if (!socket.ok()) {
      failure = Annotate(socket.status(), absl::StrCat("cannot listen on ", host, ":", port));
      continue;
    }
    ACCELD_ASSIGN_OR_RETURN(std::unique_ptr<Listener> listener, Adopt(*std::move(socket)));
    listeners.push_back(std::move(listener));
  }
  // One bound address is enough: the others may be of a family that this machine does not have.
  if (listeners.empty()) return failure;
  return listeners;
}

absl::StatusOr<std::unique_ptr<Listener>> Listener::Adopt(UniqueFd socket) {
  UniqueFd stop(eventfd(0, EFD_CLOEXEC));
  if (!stop.valid()) return absl::ErrnoToStatus(errno, "eventfd");
  return std::unique_ptr<Listener>(new Listener(std::move(socket), std::move(stop)));
}

Listener::~Listener() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  while (write(stop_.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_.join();
}

void Listener::Start(OnAccept on_accept, observability::Counter& failures) {
  on_accept_ = std::move(on_accept);
  failures_ = &failures;
  thread_ = StartThread("accept", [this] { Run(); });
}

void Listener::Run() {
  pollfd wanted[] = {{.fd = socket_.get(), .events = POLLIN, .revents = 0},
                     {.fd = stop_.get(), .events = POLLIN, .revents = 0}};
  while (true) {
    if (poll(wanted, 2, -1) < 0) continue;  // interrupted by a signal
    if (wanted[1].revents != 0) return;
    UniqueFd fd(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd.valid()) {
      on_accept_(std::move(fd));
      continue;
    }
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) continue;
    failures_->Add();
    static RateLimit limit("cannot accept", 1);
    if (limit.Take()) LogWarning("cannot accept a connection: ", std::strerror(errno));
    if (poll(&wanted[1], 1, static_cast<int>(kPause.count())) > 0) return;
  }
}

}  // namespace acceld::rpc
