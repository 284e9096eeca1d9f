#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "common/threads/mutex.h"
#include "grpcpp/security/server_credentials.h"

namespace acceld::rpc {

// The daemon's TLS certificate and private key. They can be replaced while the server runs: TLS
// handshakes that begin afterwards use the new pair. Thread-safe.
class ServerCertificate {
 public:
  // Replaces certificate chain and key. All arguments are PEM text. `authorities`, which may be
  // empty, are the certificate authorities that the server names when it asks a client for a
  // certificate. INVALID_ARGUMENT, which changes nothing, when the chain or the key cannot be read,
  // the key does not belong to the first certificate of the chain, or that one has expired.
  absl::Status Set(std::string chain, std::string key, std::string authorities);

  // What the last successful Set was given. `number` grows with every change; 0: nothing was set.
  struct Pair {
    std::string chain, key, authorities;
    uint64_t number = 0;
  };
  Pair Get() const;

 private:
  mutable Mutex mutex_;
  Pair pair_ ABSL_GUARDED_BY(mutex_);
};

// Makes gRPC credentials for a listening address that present `certificate`, which must be set
// already. With `ask_clients` the server asks clients for a certificate. A client need not send
// one, and TLS does not verify it: ClientCertificates does.
std::shared_ptr<grpc::ServerCredentials> MakeTlsCredentials(
    std::shared_ptr<const ServerCertificate> certificate, bool ask_clients);

}  // namespace acceld::rpc
