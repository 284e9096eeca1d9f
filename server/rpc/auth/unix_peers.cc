#include "server/rpc/auth/unix_peers.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace acceld::rpc {

void UnixPeers::Add(int fd, PeerCredentials peer) {
  MutexLock lock(mutex_);
  peers_.insert_or_assign(fd, std::move(peer));
}

absl::optional<PeerCredentials> UnixPeers::Find(absl::string_view peer) const {
  int fd = 0;
  if (!absl::ConsumePrefix(&peer, "fd:") || !absl::SimpleAtoi(peer, &fd)) return absl::nullopt;
  MutexLock lock(mutex_);
  const auto found = peers_.find(fd);
  if (found == peers_.end()) return absl::nullopt;
  return found->second;
}

}  // namespace acceld::rpc
