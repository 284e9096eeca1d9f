#pragma once

#include <string>

#include "absl/types/span.h"
#include "client/credentials.h"
#include "common/net/address.h"
#include "common/net/socket_trust.h"
#include "common/status.h"

namespace acceld::client {

// Credentials after their files have been read.
struct Secrets {
  std::string token;                             // Empty: none.
  std::string ca_pem, certificate_pem, key_pem;  // Empty: none.
  std::string server_name;
  TrustedUsers socket_users;  // Whose unix sockets may be a daemon's.
};

// Fills empty fields from the environment, reads the files, and checks the result for use with any
// of `addresses`. INVALID_ARGUMENT for a certificate without its key, certificates although no
// address uses TLS, a file that contains no token, or an unknown server_user. NOT_FOUND,
// PERMISSION_DENIED and other errors name the file. Blocks.
absl::StatusOr<Secrets> ReadSecrets(Credentials credentials, absl::Span<const Address> addresses);

// Adds advice to the message of an UNAUTHENTICATED status; returns other statuses unchanged.
absl::Status AdviseOnSecrets(const absl::Status& status, const Secrets& secrets);

}  // namespace acceld::client
