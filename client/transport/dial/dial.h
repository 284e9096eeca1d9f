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

// Connecting a client to a daemon.
namespace acceld::client {

// A gRPC channel with a connection of its own, and the stubs on it. Shared by the calls that use
// it.
struct RpcChannel {
  explicit RpcChannel(std::shared_ptr<grpc::Channel> over);

  const std::shared_ptr<grpc::Channel> channel;
  v1::Acceld::Stub stub;
  grpc::GenericStub generic;
};

// Provides gRPC channels to one daemon, at an address that Resolve has returned. If there is a
// token, all calls on them carry it.
//
// Over TCP there is one channel, which gRPC connects and reconnects by itself. Over a unix socket
// each channel is one connection, which is made and verified here (trusted_socket.h). gRPC would
// instead reconnect by path, which may belong to another user by then, and would send the token to
// whatever process listens there.
//
// Thread-safe.
class Dialer {
 public:
  // `lease` is the lease of the session that uses the channels; 0: none.
  Dialer(const Address& address, const Secrets& secrets, std::chrono::milliseconds lease);

  const Address& address() const { return address_; }
  // The address as error messages show it.
  const std::string& peer() const { return peer_; }

  // Returns the current channel, or, for a unix socket whose connection is broken, a new one.
  // UNAVAILABLE if no daemon listens; otherwise the errors of ConnectTrusted. Blocks while
  // connecting to a unix socket, for at most two seconds.
  absl::StatusOr<std::shared_ptr<RpcChannel>> Get();
  // Returns the same channel as Get, but connects to a unix socket within `timeout` and returns
  // every error of ConnectTrusted unchanged.
  absl::StatusOr<std::shared_ptr<RpcChannel>> Connect(std::chrono::milliseconds timeout);
  // Over TCP, blocks until the channel is connected; returns false if that takes until `until`.
  // gRPC connects, and performs the TLS handshake, only while somebody waits for the connection.
  // Over a unix socket, returns true at once.
  bool AwaitConnection(std::chrono::system_clock::time_point until);

 private:
  // An open socket that gRPC owns. After gRPC has closed it, the descriptor's number may be reused
  // for another file, which the inode number reveals.
  struct Socket {
    int fd = -1;
    uint64_t inode = 0;
    // Returns whether the connection is broken or the descriptor was closed.
    bool IsBroken() const;
  };

  const Address address_;
  const std::string peer_;
  const Secrets secrets_;
  const std::chrono::milliseconds lease_;
  Mutex mutex_;
  std::shared_ptr<RpcChannel> line_ ABSL_GUARDED_BY(mutex_);
  Socket socket_ ABSL_GUARDED_BY(mutex_);  // Of a unix connection.
};

// Blocks until a connection to the daemon works. UNAVAILABLE if no process listens (at once, unless
// the attempt waits for a daemon), if the process that listens does not expect or accept this kind
// of connection (TLS or plain text, certificates), or if the timeout passes. PERMISSION_DENIED if
// the user that listens is not trusted.
absl::Status AwaitDaemon(Dialer& dialer, const Attempt& attempt);

// Returns UNAVAILABLE with the reason `why`. If the attempt is the only one, the message also
// advises how to start a daemon.
absl::Status NoDaemonError(const Attempt& attempt, absl::string_view why);

}  // namespace acceld::client
