#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::rpc {

// Certificate authorities whose certificates name clients. That the client holds the key of its
// certificate is what TLS has proved before; here it is decided, for every call, whether the
// certificate counts. So one that expires while its connection lives counts no more. Immutable.
class ClientCertificates {
 public:
  // `authorities` in PEM. INVALID_ARGUMENT when there is none in it.
  static absl::StatusOr<ClientCertificates> Make(absl::string_view authorities);

  // The name that a certificate (PEM), with the intermediate ones that came with it (PEM, maybe
  // empty), gives its holder: its first URI, else its first DNS name, else its common name.
  // UNAUTHENTICATED says what is wrong: another issuer, out of date, not for clients, no name.
  absl::StatusOr<std::string> NameOf(absl::string_view certificate,
                                     absl::string_view intermediates) const;

 private:
  struct Store;
  explicit ClientCertificates(std::shared_ptr<const Store> store) : store_(std::move(store)) {}

  std::shared_ptr<const Store> store_;  // Shared by copies; immutable.
};

}  // namespace acceld::rpc
