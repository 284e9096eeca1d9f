#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "acceld/v1/acceld.grpc.pb.h"
#include "client/transport/dial/attempt.h"
#include "client/transport/dial/secrets.h"
#include "common/net/address.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "grpcpp/channel.h"
#include "grpcpp/generic/generic_stub.h"

// How a client gets to a daemon.
namespace acceld::client {

// What calls go over: a gRPC channel with a connection of its own. Shared by the calls on it.
struct Line {
  explicit Line(std::shared_ptr<grpc::Channel> over);

  const std::shared_ptr<grpc::Channel> channel;
  v1::Acceld::Stub stub;
  grpc::GenericStub generic;
};

// Gives lines to one daemon, at an address that Resolve has given. Their calls carry the token, if
// there is one.
//
// Over TCP there is one line, which gRPC connects, and connects anew. Over a unix socket a line is
// one connection, made and checked here (trusted_socket.h): gRPC would connect by a name, which
// may be another's by then, and send the token to whoever listens.
//
// Thread-safe.
class Dialer {
 public:
  // For a session with this lease; 0: none.
  Dialer(const Address& address, const Secrets& secrets, std::chrono::milliseconds lease);

  const Address& address() const { return address_; }
  // The address, as messages have it.
  const std::string& peer() const { return peer_; }

  // The line in use, or for a unix socket another one if that is broken. UNAVAILABLE when no daemon
  // is there; else the errors of ConnectTrusted. Blocks for a connection to a unix socket, at most
  // two seconds.
  absl::StatusOr<std::shared_ptr<Line>> Get();
  // The same; all errors are those of ConnectTrusted.
  absl::StatusOr<std::shared_ptr<Line>> Connect(std::chrono::milliseconds timeout);
  // Over TCP, blocks until the line is connected, or until then: false. gRPC connects, and shakes
  // hands for TLS, only while somebody waits for it.
  bool AwaitConnection(std::chrono::system_clock::time_point until);

 private:
  // An open socket that gRPC owns: its number may be another file's once gRPC has closed it, which
  // the inode shows.
  struct Socket {
    int fd = -1;
    uint64_t inode = 0;
    bool IsBroken() const;
  };

  const Address address_;
  const std::string peer_;
  const Secrets secrets_;
  const std::chrono::milliseconds lease_;
  Mutex mutex_;
  std::shared_ptr<Line> line_ ABSL_GUARDED_BY(mutex_);
  Socket socket_ ABSL_GUARDED_BY(mutex_);  // of a unix line
};

// Blocks until there is a connection. UNAVAILABLE when nobody listens (at once, unless the attempt
// waits for a daemon), who listens does not speak as we do (TLS, or none; another certificate), or
// the timeout is over. PERMISSION_DENIED when who listens is not trusted.
absl::Status AwaitDaemon(Dialer& dialer, const Attempt& attempt);

// UNAVAILABLE, with advice to start one if it is the only.
absl::Status NobodyAnswers(const Attempt& attempt, absl::string_view why);

}  // namespace acceld::client
