#pragma once

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/mutex.h"
#include "server/rpc/auth/peer_credentials.h"

namespace acceld::rpc {

// Whose connections those are that UnixListener has accepted. gRPC names such a connection by its
// descriptor ("fd:17") to the calls that come through it, and closes the descriptor only when the
// last of those calls is gone: as long as a call lives, its number means the same connection. The
// next connection with that number takes its place here, so there are at most as many entries as
// the process may have descriptors.
//
// Any thread may call; nothing blocks.
class UnixPeers {
 public:
  // Before gRPC gets the descriptor.
  void Add(int fd, PeerCredentials peer);
  // `peer` as ServerContext::peer says it; none when the connection is no unix socket.
  absl::optional<PeerCredentials> Find(absl::string_view peer) const;

 private:
  mutable Mutex mutex_;
  absl::flat_hash_map<int, PeerCredentials> peers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::rpc
