#include "common/net/packet_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace acceld {
namespace {

constexpr int kBacklog = 128;

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address = {.sun_family = AF_UNIX};
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("the path of a socket has ", path.size(),
                                                   " characters, at most ",
                                                   sizeof(address.sun_path) - 1, " fit: ", path));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

absl::Status SystemError(absl::string_view what) {
  // EAGAIN: the queue of a unix socket is full.
  if (errno == EAGAIN || errno == EPIPE || errno == ECONNRESET || errno == ECONNREFUSED) {
    return absl::UnavailableError(absl::StrCat(what, ": ", std::strerror(errno)));
  }
  return absl::ErrnoToStatus(errno, what);
}

int FlagsOf(Blocking blocking) { return blocking == Blocking::kYes ? 0 : MSG_DONTWAIT; }

iovec IoOf(absl::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

absl::Status Send(int socket, const msghdr& message, Blocking blocking) {
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL | FlagsOf(blocking));
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? SystemError("a message") : absl::OkStatus();
}

// Room for one descriptor beside a message that is sent.
union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};
// Room for more descriptors than are allowed, so that surplus ones are counted. Those that do not
// fit even here the kernel closes, and reports that (MSG_CTRUNC).
union IncomingControl {
  cmsghdr header;
  char bytes[CMSG_SPACE(8 * sizeof(int))];
};

// The result of one recvmsg(2). All descriptors but the first are closed already.
struct Received {
  ssize_t size = 0;
  int flags = 0;
  size_t descriptors = 0;
  UniqueFd first;

  // Whether ancillary data of the packet did not fit.
  bool is_cut() const { return (flags & MSG_CTRUNC) != 0; }
  // Whether this is what recvmsg(2) returns when the other side is gone.
  bool SaysTheEnd() const {
    return descriptors == 0 && !is_cut() && (size == 0 || (size < 0 && errno == ECONNRESET));
  }
};

Received ReceiveOnce(int socket, absl::Span<char> buffer, Blocking blocking) {
  iovec bytes = {buffer.data(), buffer.size()};
  IncomingControl control = {};
  msghdr header = {};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  header.msg_control = &control;
  header.msg_controllen = sizeof(control);
  Received received;
  do {
    received.size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | FlagsOf(blocking));
  } while (received.size < 0 && errno == EINTR);
  if (received.size < 0) return received;
  received.flags = header.msg_flags;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(fd), sizeof(fd));
      UniqueFd passed(fd);
      if (received.descriptors++ == 0) received.first = std::move(passed);
    }
  }
  return received;
}

}  // namespace

absl::StatusOr<UniqueFd> ListenPacketSocket(const std::string& path, mode_t mode) {
  ACCELD_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  UniqueFd fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // No process can connect before listen(2), and by then the mode is set.
  if (!fd.valid() ||
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      chmod(path.c_str(), mode) != 0 || listen(fd.get(), kBacklog) != 0) {
    return SystemError(absl::StrCat("cannot listen on ", path));
  }
  return fd;
}

absl::StatusOr<UniqueFd> ConnectPacketSocket(const std::string& path) {
  ACCELD_ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(path));
  UniqueFd fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const timeval patience = {.tv_sec = 2, .tv_usec = 0};  // For a full backlog.
  if (!fd.valid() ||
      setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) != 0 ||
      connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return SystemError(absl::StrCat("cannot connect to ", path));
  }
  return fd;
}

absl::StatusOr<SocketPair> CreatePacketSocketPair() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
    return SystemError("a pair of sockets");
  }
  return SocketPair{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

absl::Status SendPacket(int socket, absl::string_view message, int passed, Blocking blocking) {
  iovec bytes = IoOf(message);
  msghdr header = {};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  Control control = {};
  if (passed >= 0) {
    header.msg_control = &control;
    header.msg_controllen = sizeof(control);
    cmsghdr* const first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(first), &passed, sizeof(passed));
  }
  return Send(socket, header, blocking);
}

absl::Status SendPacket(int socket, absl::string_view head, absl::string_view body,
                        Blocking blocking) {
  iovec bytes[] = {IoOf(head), IoOf(body)};
  msghdr header = {};
  header.msg_iov = bytes;
  header.msg_iovlen = std::size(bytes);
  return Send(socket, header, blocking);
}

bool HasPacket(int socket, std::chrono::nanoseconds patience) {
  pollfd polled = {.fd = socket, .events = POLLIN, .revents = 0};
  if (patience.count() <= 0) return poll(&polled, 1, 0) > 0;
  const timespec timeout = absl::ToTimespec(absl::FromChrono(patience));
  return ppoll(&polled, 1, &timeout, nullptr) > 0;
}

absl::StatusOr<Packet> ReceivePacket(int socket, absl::Span<char> buffer, Blocking blocking) {
  Received received = ReceiveOnce(socket, buffer, blocking);
  // Linux may report the end before data that was sent ahead of it: when the other side closes
  // while messages of this side are unread, and when the other side sends and closes between the
  // kernel's checks of the queue and of the socket's state. An end that is reported twice is one.
  if (received.SaysTheEnd()) received = ReceiveOnce(socket, buffer, blocking);
  if (received.SaysTheEnd()) return Packet{};
  if (received.size < 0) return SystemError("a message");
  if ((received.flags & MSG_TRUNC) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a packet of more than ", buffer.size(), " bytes"));
  }
  if (received.descriptors > 1 || (received.descriptors == 1 && received.is_cut())) {
    return absl::InvalidArgumentError(absl::StrCat("a packet with ", received.descriptors,
                                                   received.is_cut() ? " or more" : "",
                                                   " descriptors; at most one may come"));
  }
  if (received.size == 0) return absl::InvalidArgumentError("a packet of no bytes");
  return Packet{.size_bytes = static_cast<size_t>(received.size),
                .passed = std::move(received.first),
                .lost_descriptor = received.is_cut()};
}

}  // namespace acceld
