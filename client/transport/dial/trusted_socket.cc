#include "client/transport/dial/trusted_socket.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/memory/segment_messages.h"
#include "common/net/packet_socket.h"

namespace acceld::client {
namespace {

absl::StatusOr<UniqueFd> Connect(const std::string& path, std::chrono::milliseconds timeout) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("the socket's path is too long: ", path));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, "socket");
  const int64_t micros = std::max<int64_t>(1, 1000 * timeout.count());  // 0 would mean no timeout.
  const timeval patience{.tv_sec = micros / 1'000'000, .tv_usec = micros % 1'000'000};
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    if (errno == ECONNREFUSED) return absl::UnavailableError(path);
    if (errno == EAGAIN || errno == EINPROGRESS) return absl::DeadlineExceededError(path);
    return absl::ErrnoToStatus(errno, path);
  }
  return fd;
}

template <typename ConnectIt>
absl::StatusOr<UniqueFd> Checked(const std::string& path, const TrustedUsers& trusted,
                                 const ConnectIt& connect_it) {
  ACCELD_RETURN_IF_ERROR(CheckSocketFile(path, trusted));
  ACCELD_ASSIGN_OR_RETURN(UniqueFd fd, connect_it());
  ACCELD_RETURN_IF_ERROR(CheckPeer(fd.get(), path, trusted));
  return fd;
}

}  // namespace

absl::StatusOr<UniqueFd> ConnectTrusted(const SocketEndpoint& endpoint,
                                        std::chrono::milliseconds timeout) {
  return Checked(endpoint.path, endpoint.trusted, [&] { return Connect(endpoint.path, timeout); });
}

absl::StatusOr<UniqueFd> ConnectTrustedForPackets(const SocketEndpoint& endpoint) {
  const std::string path = absl::StrCat(endpoint.path, segment::kSocketSuffix);
  return Checked(path, endpoint.trusted, [&] { return ConnectPacketSocket(path); });
}

}  // namespace acceld::client
