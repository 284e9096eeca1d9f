#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"
#include "server/cache/redis/socket.h"

namespace acceld::cache::redis {

// How to secure a connection by TLS.
struct TlsOptions {
  bool enabled = false;
  // A PEM file of trusted certificate authorities; empty: those that the system trusts.
  std::string ca_file;
  // PEM files of the client's certificate, for servers that require one; both or neither.
  std::string certificate_file, key_file;
};

// A byte stream to and from one server, over TCP or TLS (1.2 or later, with the host name
// verified). Must be used by one thread at a time; calls block until their deadline at most.
class Transport {
 public:
  virtual ~Transport() = default;
  // Connects. `interrupt` must outlive the transport (nullptr: none). UNAVAILABLE with the system's
  // reason; DEADLINE_EXCEEDED; CANCELLED when the interrupt is raised; FAILED_PRECONDITION when the
  // server's certificate is not trusted or a file of `tls` is unusable.
  static absl::StatusOr<std::unique_ptr<Transport>> Connect(const Endpoint& endpoint,
                                                            const TlsOptions& tls,
                                                            Clock::time_point deadline,
                                                            const Interrupt* interrupt);

  // Writes all bytes. The transport must not be used after an error.
  virtual absl::Status Write(absl::string_view bytes, Clock::time_point deadline) = 0;
  // Reads between 1 and `size` bytes and returns their number. UNAVAILABLE when the server has
  // closed the connection.
  virtual absl::StatusOr<size_t> Read(char* to, size_t size, Clock::time_point deadline) = 0;
};

}  // namespace acceld::cache::redis
