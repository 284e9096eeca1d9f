#pragma once

#include <string>

#include "absl/types/span.h"
#include "client/credentials.h"
#include "common/net/address.h"
#include "common/net/socket_trust.h"
#include "common/status.h"

namespace acceld::client {

// Credentials with their files read.
struct Secrets {
  std::string token;                             // empty: none
  std::string ca_pem, certificate_pem, key_pem;  // empty: none
  std::string server_name;
  TrustedUsers socket_users;  // whose unix sockets are a daemon's
};

// For any of the addresses. INVALID_ARGUMENT: a certificate without its key, certificates where no
// address is of TLS, a file that holds no token, an unknown server_user. NOT_FOUND,
// PERMISSION_DENIED and others name the file. Blocks.
absl::StatusOr<Secrets> ReadSecrets(Credentials credentials, absl::Span<const Address> addresses);

// Says what to do about an UNAUTHENTICATED; other statuses stay as they are.
absl::Status AdviseOnSecrets(const absl::Status& status, const Secrets& secrets);

}  // namespace acceld::client
