#include "server/systemd/manager.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "server/systemd/environment.h"

namespace acceld::systemd {
namespace {

constexpr timeval kPatience{.tv_sec = 5, .tv_usec = 0};

int64_t MonotonicMicroseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

absl::StatusOr<Manager> Manager::FromEnvironment() {
  Manager manager;
  const std::string socket_text = TakeVariable("NOTIFY_SOCKET");
  const std::string interval_text = TakeVariable("WATCHDOG_USEC");
  const std::string pid_text = TakeVariable("WATCHDOG_PID");
  if (socket_text.empty()) return manager;
  if ((socket_text[0] != '/' && socket_text[0] != '@') || socket_text.size() < 2 ||
      socket_text.size() > sizeof(sockaddr_un::sun_path) - 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("NOTIFY_SOCKET is '", socket_text, "': expected a path, or @NAME"));
  }
  manager.address_ = socket_text;
  // The addresses of abstract sockets, which have no file, begin with a zero byte.
  if (socket_text[0] == '@') manager.address_[0] = '\0';
  manager.socket_ = UniqueFd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!manager.socket_.valid() || setsockopt(manager.socket_.get(), SOL_SOCKET, SO_SNDTIMEO,
                                             &kPatience, sizeof(kPatience)) != 0) {
    return absl::ErrnoToStatus(errno, "a socket to the service manager");
  }
  int64_t microseconds = 0;
  if (!interval_text.empty() && (pid_text.empty() || pid_text == absl::StrCat(getpid()))) {
    if (!absl::SimpleAtoi(interval_text, &microseconds) || microseconds <= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("WATCHDOG_USEC is '", interval_text, "': expected microseconds"));
    }
    manager.watchdog_ = std::chrono::microseconds(microseconds);
  }
  return manager;
}

void Manager::Ready(absl::string_view status) const {
  Send(absl::StrCat("READY=1\nSTATUS=", status));
}

void Manager::Reloading() const {
  Send(absl::StrCat("RELOADING=1\nMONOTONIC_USEC=", MonotonicMicroseconds()));
}

void Manager::Stopping(std::chrono::milliseconds longest) const {
  Send(absl::StrCat("STOPPING=1\nSTATUS=finishing work in flight\nEXTEND_TIMEOUT_USEC=",
                    std::chrono::microseconds(longest).count()));
}

void Manager::Alive() const { Send("WATCHDOG=1"); }

void Manager::Send(absl::string_view message) const {
  if (!socket_.valid()) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, address_.data(), address_.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  ssize_t sent;
  do {
    sent = sendto(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL,
                  reinterpret_cast<const sockaddr*>(&address), size);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) LogWarning("cannot tell the service manager: ", std::strerror(errno));
}

}  // namespace acceld::systemd
