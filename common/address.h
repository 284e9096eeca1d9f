#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

// Where a daemon listens and a client looks for it.
namespace acceld {

// "unix:/path/of/socket" or "HOST:PORT" with a loopback host ("127.0.0.1:7070", "localhost:7070",
// "[::1]:7070"): there is no encryption yet, so nothing else is accepted.
struct Address {
  std::string unix_path;  // empty for TCP
  std::string host;
  uint16_t port = 0;

  bool is_unix() const { return !unix_path.empty(); }
  // The spelling that ParseAddress takes and gRPC understands.
  std::string ToString() const;
};

// INVALID_ARGUMENT says what was expected.
absl::StatusOr<Address> ParseAddress(absl::string_view text);

// $ACCELD_ADDRESS, else unix:$XDG_RUNTIME_DIR/acceld.sock, else unix:/tmp/acceld-<uid>/acceld.sock.
std::string DefaultAddress();

// Makes the folder of a default socket in /tmp with mode 0700 and refuses one that belongs to
// another user or is open to others (/tmp is shared); does nothing for other folders that exist.
absl::Status PrepareSocketFolder(const Address& address);

// Whether somebody accepts connections there now: OK, NOT_FOUND (no socket file), UNAVAILABLE
// (nobody listens), PERMISSION_DENIED, or INTERNAL with the system's message. Blocks briefly.
absl::Status Probe(const Address& address);

}  // namespace acceld
