#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/status.h"

namespace acceld::rpc {

// Whose process opened a unix socket, as the kernel says. It is the process that connected, whoever
// holds the socket since.
struct PeerCredentials {
  uid_t uid = 0;
  pid_t pid = 0;              // for people; it may be another process by now
  std::vector<gid_t> groups;  // all of them
};

// Of the connected socket `fd`.
absl::StatusOr<PeerCredentials> ReadPeerCredentials(int fd);

// "uid:1000"
std::string IdentityOf(const PeerCredentials& peer);
// "uid=1000 pid=4711", for people.
std::string TextOf(const PeerCredentials& peer);

}  // namespace acceld::rpc
