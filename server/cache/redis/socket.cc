#include "server/cache/redis/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"

namespace acceld::cache::redis {
namespace {

// The most name look-ups in progress in the whole process, including those that nobody waits for
// any more.
constexpr int kMaxLookUps = 16;

// Implements Socket::CheckTime.
absl::Status CheckTimeOf(const Endpoint& endpoint, const Interrupt* interrupt,
                         Clock::time_point deadline) {
  if (interrupt != nullptr && interrupt->is_raised()) {
    return absl::CancelledError(absl::StrCat("Redis at ", ToString(endpoint), " is given up"));
  }
  if (Clock::now() >= deadline) {
    return absl::DeadlineExceededError(
        absl::StrCat("Redis at ", ToString(endpoint), " does not answer in time"));
  }
  return absl::OkStatus();
}

// Waits for events of a file descriptor. Returns the errors of Socket::CheckTime.
absl::Status AwaitDescriptor(const Endpoint& endpoint, const Interrupt* interrupt, int fd,
                             short events, Clock::time_point deadline) {
  while (true) {
    ACCELD_RETURN_IF_ERROR(CheckTimeOf(endpoint, interrupt, deadline));
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    // poll() ignores a negative descriptor.
    pollfd polled[] = {
        {.fd = fd, .events = events, .revents = 0},
        {.fd = interrupt != nullptr ? interrupt->fd() : -1, .events = POLLIN, .revents = 0}};
    const int ready =
        poll(polled, 2, static_cast<int>(std::clamp<int64_t>(left + 1, 0, int64_t{60'000})));
    if (ready > 0 && polled[0].revents != 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return Failed(endpoint, "poll", std::strerror(errno));
  }
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// A name look-up on its own thread, as the system's resolver takes no deadline and cannot be
// interrupted.
struct LookUp {
  std::string host, port;
  int error = 0;
  Addresses found{nullptr, &freeaddrinfo};
  Interrupt ended;  // raised when everything above is set

  void Run(int flags) {
    const addrinfo hints{.ai_flags = flags, .ai_socktype = SOCK_STREAM};
    addrinfo* list = nullptr;
    error = getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
    if (error == 0) found.reset(list);
  }
};

absl::StatusOr<Addresses> Resolve(const Endpoint& endpoint, Clock::time_point deadline,
                                  const Interrupt* interrupt) {
  static std::atomic<int> look_ups{0};
  auto look_up = std::make_shared<LookUp>();
  look_up->host = endpoint.host;
  look_up->port = absl::StrCat(endpoint.port);
  look_up->Run(AI_NUMERICHOST);
  if (look_up->error == EAI_NONAME) {
    // A thread whose result is no longer wanted ends some seconds later, when the resolver gives
    // up.
    if (look_ups.fetch_add(1) >= kMaxLookUps) {
      look_ups.fetch_sub(1);
      return Failed(endpoint, "look-up of the name", "the earlier ones have not ended");
    }
    std::thread([look_up] {
      look_up->Run(AI_ADDRCONFIG);
      look_up->ended.Raise();
      look_ups.fetch_sub(1);
    }).detach();
    while (!look_up->ended.is_raised()) {
      ACCELD_RETURN_IF_ERROR(
          AwaitDescriptor(endpoint, interrupt, look_up->ended.fd(), POLLIN, deadline));
    }
  }
  if (look_up->error != 0) {
    return Failed(endpoint, "look-up of the name", gai_strerror(look_up->error));
  }
  return std::move(look_up->found);
}

}  // namespace

absl::Status Failed(const Endpoint& endpoint, absl::string_view what, absl::string_view why) {
  return absl::UnavailableError(
      absl::StrCat("Redis at ", ToString(endpoint), ": ", what, ": ", why));
}

absl::Status Socket::CheckTime(Clock::time_point deadline) const {
  return CheckTimeOf(endpoint_, interrupt_, deadline);
}

absl::Status Socket::Await(short events, Clock::time_point deadline) const {
  return AwaitDescriptor(endpoint_, interrupt_, fd(), events, deadline);
}

absl::StatusOr<Socket> Socket::Dial(const Endpoint& endpoint, Clock::time_point deadline,
                                    const Interrupt* interrupt) {
  const auto connect_to = [&](const addrinfo& address,
                              Clock::time_point until) -> absl::StatusOr<Socket> {
    Socket socket(
        endpoint, interrupt,
        UniqueFd(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
    if (socket.fd() < 0) return Failed(endpoint, "socket", std::strerror(errno));
    if (connect(socket.fd(), address.ai_addr, address.ai_addrlen) != 0) {
      if (errno != EINPROGRESS) return Failed(endpoint, "connect", std::strerror(errno));
      ACCELD_RETURN_IF_ERROR(socket.Await(POLLOUT, until));
      int error = 0;
      socklen_t size = sizeof(error);
      getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (error != 0) return Failed(endpoint, "connect", std::strerror(error));
    }
    const int on = 1;
    setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(socket.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    return socket;
  };
  ACCELD_ASSIGN_OR_RETURN(const Addresses addresses, Resolve(endpoint, deadline, interrupt));
  int left = 0;
  for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) ++left;
  absl::Status last = Failed(endpoint, "look-up of the name", "no address");
  for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next, --left) {
    const Clock::time_point now = Clock::now();
    absl::StatusOr<Socket> socket = connect_to(*a, now + (deadline - now) / left);
    if (socket.ok()) return socket;
    last = socket.status();
  }
  return last;
}

}  // namespace acceld::cache::redis
