#include "server/systemd/listen_fds.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/systemd/environment.h"

namespace acceld::systemd {
namespace {

constexpr int kFirstFd = 3;
// More than any unit has. Checked because the environment need not come from a service manager.
constexpr int kMaxFds = 64;

int SocketOption(int fd, int option) {
  int value = -1;
  socklen_t size = sizeof(value);
  return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

// Returns the path of a unix socket; empty when it has none.
std::string PathOf(int fd) {
  sockaddr_un address{};
  socklen_t size = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  const size_t length = std::min<size_t>(size, sizeof(address)) - offsetof(sockaddr_un, sun_path);
  return std::string(address.sun_path, strnlen(address.sun_path, length));
}

absl::StatusOr<InheritedSocket> TakeSocket(int fd, absl::string_view name) {
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("descriptor ", fd, " (", name, ") that was passed ", why));
  };
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return refuse("is not open");
  InheritedSocket passed{.fd = UniqueFd(fd)};
  if (SocketOption(fd, SO_DOMAIN) != AF_UNIX) {
    return refuse("is no unix socket; daemons make others themselves: set `listen`");
  }
  passed.type = SocketOption(fd, SO_TYPE);
  if (passed.type != SOCK_STREAM && passed.type != SOCK_SEQPACKET) {
    return refuse("is neither a stream nor one of sequential packets");
  }
  if (SocketOption(fd, SO_ACCEPTCONN) != 1) return refuse("does not listen (is Accept=yes set?)");
  passed.path = PathOf(fd);
  if (passed.path.empty()) return refuse("has no path");
  if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "fcntl");
  }
  return passed;
}

}  // namespace

absl::StatusOr<std::vector<InheritedSocket>> TakePassedSockets() {
  const std::string pid = TakeVariable("LISTEN_PID");
  const std::string count_text = TakeVariable("LISTEN_FDS");
  const std::vector<std::string> names = absl::StrSplit(TakeVariable("LISTEN_FDNAMES"), ':');
  std::vector<InheritedSocket> sockets;
  // The variables were intended for a parent process.
  if (pid != absl::StrCat(getpid())) return sockets;
  int count = 0;
  if (!absl::SimpleAtoi(count_text, &count) || count < 0 || count > kMaxFds) {
    return absl::InvalidArgumentError(
        absl::StrCat("LISTEN_FDS is '", count_text, "': expected a number from 0 to ", kMaxFds));
  }
  for (int i = 0; i < count; ++i) {
    const size_t index = static_cast<size_t>(i);
    ACCELD_ASSIGN_OR_RETURN(
        InheritedSocket socket,
        TakeSocket(kFirstFd + i,
                   index < names.size() && !names[index].empty() ? names[index] : "no name"));
    sockets.push_back(std::move(socket));
  }
  return sockets;
}

}  // namespace acceld::systemd
