#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace acceld::rpc {

// Who may do what. Members of the lists are principals: "user:NAME", "uid:N", "group:NAME",
// "gid:N", "cert:NAME", or "uid:*" and "cert:*" for every one of that kind. The daemon's own user
// and root are admins on its unix sockets in any case.
struct AccessOptions {
  std::vector<std::string> users, publishers, admins;
  // Over TCP without TLS and without a token: whether that is nobody rather than `loopback`.
  bool refuse_anonymous = false;
  mode_t socket_mode = 0600;
  // Files; empty: there is none.
  std::string tokens;
  std::string tls_certificate, tls_key;  // both, when there is a TLS address
  std::string tls_client_ca;
};

}  // namespace acceld::rpc
