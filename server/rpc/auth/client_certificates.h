#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::rpc {

// Verifies the certificates of clients against a set of certificate authorities. TLS has already
// proved that the client holds the private key of its certificate; this class verifies, for every
// call, that a trusted authority issued the certificate and that it is valid now. A certificate
// that expires is therefore refused even on a connection that was made before. Immutable.
class ClientCertificates {
 public:
  // Reads the authorities' certificates from PEM text. INVALID_ARGUMENT when none can be read.
  static absl::StatusOr<ClientCertificates> Make(absl::string_view authorities);

  // Verifies a client's certificate and returns the name of its holder: its first URI, else its
  // first DNS name, else its common name. Both arguments are PEM; `intermediates` are the further
  // certificates that the client sent, and may be empty. UNAUTHENTICATED, with the reason, when the
  // certificate has another issuer, is out of date, is not for clients or has no usable name.
  absl::StatusOr<std::string> NameOf(absl::string_view certificate,
                                     absl::string_view intermediates) const;

 private:
  struct Store;
  explicit ClientCertificates(std::shared_ptr<const Store> store) : store_(std::move(store)) {}

  std::shared_ptr<const Store> store_;  // Shared by copies; immutable.
};

}  // namespace acceld::rpc
