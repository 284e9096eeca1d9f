#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "common/threads/mutex.h"
#include "grpcpp/security/server_credentials.h"

namespace acceld::rpc {

// The daemon's own certificate and key, which may be replaced while it serves: connections that are
// made afterwards see the new one. A pair that does not fit changes nothing. Thread-safe.
class ServerCertificate {
 public:
  // `chain` and `key` in PEM; `authorities`, in PEM, are those whose certificates clients are asked
  // for, and may be empty. INVALID_ARGUMENT: not readable, the key is not that of the first
  // certificate, or that one is out of date.
  absl::Status Set(std::string chain, std::string key, std::string authorities);

  // The latest, and the number of sets before it; a number of 0 means that there was none.
  struct Pair {
    std::string chain, key, authorities;
    uint64_t number = 0;
  };
  Pair Get() const;

 private:
  mutable Mutex mutex_;
  Pair pair_ ABSL_GUARDED_BY(mutex_);
};

// Credentials for one address that show `certificate` (Set before). With `ask_clients`, clients are
// asked for a certificate and need not show one; what they show is for ClientCertificates to judge.
std::shared_ptr<grpc::ServerCredentials> MakeTlsCredentials(
    std::shared_ptr<const ServerCertificate> certificate, bool ask_clients);

}  // namespace acceld::rpc
