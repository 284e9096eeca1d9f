#pragma once

#include <string>

namespace acceld::client {

// How a client authenticates itself to a daemon, and verifies the daemon. None of it is needed for
// the unix socket of a daemon that runs as the client's own user or as root. An empty field is read
// from the environment variable named beside it. Files are read when a connection is opened.
struct Credentials {
  // The bearer token: a file that contains nothing else, or the token itself.
  std::string token_file;  // ACCELD_TOKEN_FILE
  std::string token;
  // For tls:// addresses: the certificate authorities that may have signed the daemon's
  // certificate, in PEM; without them, the system's.
  std::string ca_file;  // ACCELD_CA_FILE
  // A client certificate and its private key, in PEM; either both or neither.
  std::string certificate_file;  // ACCELD_CERT_FILE
  std::string key_file;          // ACCELD_KEY_FILE
  // The name expected in the daemon's certificate, if it differs from the host of the address.
  std::string server_name;  // ACCELD_SERVER_NAME
  // For unix sockets: the user, by name or number, as which the daemon runs, if that is neither the
  // client's own user nor root and the socket was not made by root. The client refuses sockets of
  // any other user.
  std::string server_user;  // ACCELD_SERVER_USER
};

}  // namespace acceld::client
