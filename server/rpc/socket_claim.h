#pragma once

#include <string>
#include <utility>

#include "common/files/unique_fd.h"
#include "common/net/address.h"
#include "common/status.h"

namespace acceld::rpc {

// The right to listen on a unix socket path: a lock on PATH.lock, held while the object lives, so
// that two daemons that start at once do not replace each other's socket. The lock file stays; an
// empty claim (for TCP) does nothing. The destructor removes the socket file.
class SocketClaim {
 public:
  // Makes the default folder when that is where the socket lives. Removes a socket file that nobody
  // listens on. ALREADY_EXISTS when another daemon holds or answers the socket; FAILED_PRECONDITION
  // when the path is something else than a socket.
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
