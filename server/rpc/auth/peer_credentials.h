#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/status.h"

namespace acceld::rpc {

// The credentials of the process that connected to a unix socket, as the kernel recorded them at
// that time (SO_PEERCRED in unix(7)). Another process may hold the socket since.
struct PeerCredentials {
  uid_t uid = 0;
  pid_t pid = 0;              // for messages only: the number may be another process's by now
  std::vector<gid_t> groups;  // the primary group, then the supplementary ones
};

// Reads the credentials of the peer of `fd`, a connected unix socket. Errors are the system's.
absl::StatusOr<PeerCredentials> ReadPeerCredentials(int fd);

// Returns the name of the peer's identity: "uid:1000".
std::string IdentityOf(const PeerCredentials& peer);
// Returns the peer as log messages show it: "uid=1000 pid=4711".
std::string TextOf(const PeerCredentials& peer);

}  // namespace acceld::rpc
