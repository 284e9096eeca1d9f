#pragma once

#include <string>
#include <utility>

#include "common/files/unique_fd.h"
#include "common/net/address.h"
#include "common/status.h"

namespace acceld::rpc {

// The exclusive right to listen on a unix socket path: a lock on the file PATH.lock (flock(2)),
// held while the object lives, which keeps two daemons that start at the same time from replacing
// each other's socket. The destructor removes the socket file and leaves the lock file. An empty
// claim, such as that for a TCP address, does nothing.
class SocketClaim {
 public:
  // Claims the address. Creates the folder of a default socket, and removes a socket file on which
  // no process listens. ALREADY_EXISTS when another daemon holds the claim or accepts connections
  // at the address; FAILED_PRECONDITION when the path exists and is not a socket; the errors of
  // PrepareSocketFolder. Blocks while it tries to connect to the address.
  static absl::StatusOr<SocketClaim> Take(const Address& address);
  SocketClaim() = default;
  SocketClaim(SocketClaim&& other) noexcept;
  SocketClaim& operator=(SocketClaim&& other) noexcept;
  ~SocketClaim();

 private:
  SocketClaim(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  UniqueFd fd_;
  std::string path_;
};

}  // namespace acceld::rpc
