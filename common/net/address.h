#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

// Where a daemon listens and a client looks for it. A client may be given several (addresses.h).
namespace acceld {

// One of
//   unix:/path/of/socket          without commas, which stand between addresses
//   HOST:PORT or tcp://HOST:PORT  not encrypted, so with a loopback host only: 127.0.0.1:7070,
//                                 localhost:7070, [::1]:7070
//   tls://HOST:PORT               any host: tls://node-3.example.org:7070, tls://[::]:7070
struct Address {
  std::string unix_path;  // empty for TCP
  std::string host;
  // Of TLS: the one of the host's addresses that is meant. Not a daemon's, and not ParseAddress's.
  std::string ip;
  uint16_t port = 0;
  bool tls = false;

  bool is_unix() const { return !unix_path.empty(); }
  // The spelling that ParseAddress takes, or with an `ip` ParseAddresses: "tls://HOST@IP:PORT".
  std::string ToString() const;
  // "HOST:PORT"; the host in brackets where it has colons.
  std::string HostAndPort() const;
  // Where to connect: the same with the `ip`, if there is one, in place of the host.
  std::string Endpoint() const;
};

// INVALID_ARGUMENT says what was expected.
absl::StatusOr<Address> ParseAddress(absl::string_view text);

// $ACCELD_ADDRESS, else unix:$XDG_RUNTIME_DIR/acceld.sock where there is such a folder (the
// variable often outlives it: in jobs of a cluster, say), else unix:/tmp/acceld-<uid>/acceld.sock.
std::string DefaultAddress();

// Where the machine's own daemon listens: the one that its service manager starts.
inline constexpr char kSystemAddress[] = "unix:/run/acceld/acceld.sock";

// Where a client looks that names none: DefaultAddress; but where $ACCELD_ADDRESS is not set and
// the user has no socket there, kSystemAddress if that one is there. Sockets and folders of other
// users, which they may have put in the way, count as if they were not there.
std::string DefaultClientAddress();

// For who is going to listen: makes the folder of a default socket in /tmp, with mode 0700. Refuses
// a folder in which other users than this one and root could put a socket in the place of ours, as
// CheckSocketFolder (socket_trust.h) says.
absl::Status PrepareSocketFolder(const Address& address);

// Whether somebody accepts connections there now: OK, NOT_FOUND (no socket file, no such host),
// UNAVAILABLE (nobody listens), PERMISSION_DENIED, DEADLINE_EXCEEDED (no answer in time), or
// INTERNAL with the system's message. Blocks, at most so long for each of the host's addresses.
absl::Status Probe(const Address& address,
                   std::chrono::milliseconds timeout = std::chrono::seconds(3));

}  // namespace acceld
