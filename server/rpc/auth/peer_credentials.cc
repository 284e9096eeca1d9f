#include "server/rpc/auth/peer_credentials.h"

#include <sys/socket.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace acceld::rpc {

absl::StatusOr<PeerCredentials> ReadPeerCredentials(int fd) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return absl::ErrnoToStatus(errno, "SO_PEERCRED");
  }
  PeerCredentials peer{.uid = credentials.uid, .pid = credentials.pid, .groups = {credentials.gid}};
  // The first call fails with ERANGE and stores the size of the list of groups in `size`.
  size = 0;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, nullptr, &size) != 0 && errno == ERANGE) {
    std::vector<gid_t> others(size / sizeof(gid_t));
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, others.data(), &size) != 0) {
      return absl::ErrnoToStatus(errno, "SO_PEERGROUPS");
    }
    peer.groups.insert(peer.groups.end(), others.begin(), others.end());
  }
  return peer;
}

std::string IdentityOf(const PeerCredentials& peer) { return absl::StrCat("uid:", peer.uid); }

std::string TextOf(const PeerCredentials& peer) {
  return absl::StrCat("uid=", peer.uid, " pid=", peer.pid);
}

}  // namespace acceld::rpc
