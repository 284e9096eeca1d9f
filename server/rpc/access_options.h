#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace acceld::rpc {

// Which callers may use the daemon, and in which role. The entries of the three lists are
// principals: "user:NAME", "uid:N", "group:NAME", "gid:N", "cert:NAME" (the name in a client
// certificate), "uid:*" (every user) or "cert:*" (every client certificate). On unix sockets the
// daemon's own user and root are admins, whatever the lists say.
struct AccessOptions {
  std::vector<std::string> users, publishers, admins;
  // Refuses callers over TCP without TLS where no token file is set; false: they are the plain user
  // `loopback`.
  bool refuse_anonymous = false;
  mode_t socket_mode = 0600;  // of the files of the unix sockets
  // Paths of files; an empty path means that there is no such file.
  std::string tokens;                    // TokenTable describes its lines
  std::string tls_certificate, tls_key;  // PEM; both are required for a TLS address
  std::string tls_client_ca;             // PEM; the authorities of client certificates
};

}  // namespace acceld::rpc
