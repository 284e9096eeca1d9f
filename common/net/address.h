#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

// The address on which a daemon listens and to which a client connects. A client may be given
// several (addresses.h).
namespace acceld {

// One address, written as one of
//   unix:/path/of/socket          the path has no commas, which separate addresses
//   HOST:PORT or tcp://HOST:PORT  not encrypted, therefore with a loopback host only:
//                                 127.0.0.1:7070, localhost:7070, [::1]:7070
//   tls://HOST:PORT               any host: tls://node-3.example.org:7070, tls://[::]:7070
struct Address {
  std::string unix_path;  // empty for TCP
  std::string host;
  // With TLS, the IP address to connect to, if one of the addresses of `host` was chosen. Only
  // ParseAddresses and Resolve (addresses.h) set it, for clients.
  std::string ip;
  uint16_t port = 0;
  bool tls = false;

  bool is_unix() const { return !unix_path.empty(); }
  // Returns the spelling that ParseAddress accepts; with an `ip` the one that ParseAddresses
  // accepts, "tls://HOST@IP:PORT".
  std::string ToString() const;
  // Returns "HOST:PORT"; a host that contains colons is in brackets.
  std::string HostAndPort() const;
  // Returns what to connect to: "HOST:PORT" with the `ip`, if there is one, in place of the host.
  std::string Endpoint() const;
};

// Parses an address. INVALID_ARGUMENT says what was expected.
absl::StatusOr<Address> ParseAddress(absl::string_view text);

// Returns $ACCELD_ADDRESS if it is set and not empty; else unix:$XDG_RUNTIME_DIR/acceld.sock if
// that folder exists (the variable often outlives the folder, for example in jobs of a cluster);
// else unix:/tmp/acceld-<uid>/acceld.sock.
std::string DefaultAddress();

// The address of the daemon that the machine's service manager starts.
inline constexpr char kSystemAddress[] = "unix:/run/acceld/acceld.sock";

// Returns the address for a client that was given none. That is DefaultAddress, with one exception:
// kSystemAddress if $ACCELD_ADDRESS is not set, the user has no socket at DefaultAddress, and there
// is a socket at kSystemAddress. Sockets that CheckSocketFile (socket_trust.h) refuses, such as
// those of other users, count as absent.
std::string DefaultClientAddress();

// Prepares for listening on `address`: creates the folder of a default socket in /tmp, with mode
// 0700. PERMISSION_DENIED for a folder in which users other than this one and root could replace
// the socket, as CheckSocketFolder (socket_trust.h) says. Does nothing for TCP.
absl::Status PrepareSocketFolder(const Address& address);

// Checks that a process accepts connections at `address`: OK, NOT_FOUND (no socket file, no such
// host), UNAVAILABLE (no process listens), PERMISSION_DENIED, DEADLINE_EXCEEDED (no answer in
// time), or INTERNAL with the system's message. Blocks, for at most `timeout` for each address of
// the host.
absl::Status Probe(const Address& address,
                   std::chrono::milliseconds timeout = std::chrono::seconds(3));

}  // namespace acceld
