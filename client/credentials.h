#pragma once

#include <string>

namespace acceld::client {

// What shows a daemon who the client is, and the client that it is that daemon. For one's own
// daemon's unix socket, or root's, none of it is needed. Empty fields are taken from the
// environment variable that stands beside them. Files are read when a connection is opened.
struct Credentials {
  // Bearer token: a file that holds it and nothing else, or the token itself.
  std::string token_file;  // ACCELD_TOKEN_FILE
  std::string token;
  // For tls:// addresses. Authorities that vouch for the daemon, in PEM; without them the system's.
  std::string ca_file;  // ACCELD_CA_FILE
  // A client certificate and its key, in PEM; both or neither.
  std::string certificate_file;  // ACCELD_CERT_FILE
  std::string key_file;          // ACCELD_KEY_FILE
  // The name to look for in the daemon's certificate, when it is not the host of the address.
  std::string server_name;  // ACCELD_SERVER_NAME
  // For unix sockets. The user, by name or number, whose daemon is meant when that runs neither as
  // this user nor as root, and is not given its socket by root: nobody else's is talked to.
  std::string server_user;  // ACCELD_SERVER_USER
};

}  // namespace acceld::client
