#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/cache/redis/socket.h"

namespace acceld::cache::redis {

struct TlsOptions {
  bool enabled = false;
  std::string ca_file;                     // PEM; empty: what the system trusts
  std::string certificate_file, key_file;  // PEM, for servers that ask for them; both or none
};

// Bytes to and from one server, by TCP or TLS (1.2 and later, with the host's name checked). One
// thread at a time.
class Transport {
 public:
  virtual ~Transport() = default;
  // UNAVAILABLE with what the system says, DEADLINE_EXCEEDED, CANCELLED by the interrupt, which
  // lives longer (nullptr: none); FAILED_PRECONDITION for a certificate that is not trusted or a
  // file of `tls` that is unusable.
  static absl::StatusOr<std::unique_ptr<Transport>> Connect(const Endpoint& endpoint,
                                                            const TlsOptions& tls,
                                                            Clock::time_point deadline,
                                                            const Interrupt* interrupt);

  // All of it. After an error the connection is of no more use.
  virtual absl::Status Write(absl::string_view bytes, Clock::time_point deadline) = 0;
  // At least a byte, at most `size`. UNAVAILABLE when the server has closed the connection.
  virtual absl::StatusOr<size_t> Read(char* to, size_t size, Clock::time_point deadline) = 0;
};

}  // namespace acceld::cache::redis
