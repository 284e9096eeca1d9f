#include "server/rpc/auth/unix_listener.h"

#include <poll.h>
#include <pthread.h>
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
#include "common/log.h"

namespace acceld::rpc {
namespace {

constexpr int kBacklog = 1024;
// When the process has no descriptors left.
constexpr std::chrono::milliseconds kPause{100};

}  // namespace

absl::StatusOr<std::unique_ptr<UnixListener>> UnixListener::Bind(const std::string& path,
                                                                 mode_t mode) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return absl::ErrnoToStatus(errno, "socket");
  const auto fail = [&path](const char* what) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on unix:", path, ": ", what, ": ", std::strerror(errno)));
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof(address.sun_path) - 1));
  // The file begins with the socket's own mode, so it is at no time open to others.
  if (fchmod(socket.get(), 0600) != 0) return fail("fchmod");
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return fail("bind");
  }
  if (listen(socket.get(), kBacklog) != 0) return fail("listen");
  if (chmod(path.c_str(), mode) != 0) return fail("chmod");
  return Adopt(std::move(socket));
}

absl::StatusOr<std::unique_ptr<UnixListener>> UnixListener::Adopt(UniqueFd socket) {
  UniqueFd stop(eventfd(0, EFD_CLOEXEC));
  if (!stop.valid()) return absl::ErrnoToStatus(errno, "eventfd");
  return std::unique_ptr<UnixListener>(new UnixListener(std::move(socket), std::move(stop)));
}

UnixListener::~UnixListener() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  while (write(stop_.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_.join();
}

void UnixListener::Start(OnAccept on_accept) {
  on_accept_ = std::move(on_accept);
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "accept");
}

void UnixListener::Run() {
  pollfd wanted[] = {{.fd = socket_.get(), .events = POLLIN, .revents = 0},
                     {.fd = stop_.get(), .events = POLLIN, .revents = 0}};
  while (true) {
    if (poll(wanted, 2, -1) < 0) continue;  // A signal.
    if (wanted[1].revents != 0) return;
    const int fd = accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) continue;
      LogWarning("cannot accept a connection: ", std::strerror(errno));
      if (poll(&wanted[1], 1, static_cast<int>(kPause.count())) > 0) return;
      continue;
    }
    absl::StatusOr<PeerCredentials> peer = ReadPeerCredentials(fd);
    if (peer.ok()) {
      on_accept_(fd, *std::move(peer));
    } else {
      LogWarning("a connection is closed: ", peer.status().message());
      close(fd);
    }
  }
}

}  // namespace acceld::rpc
