#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/net/inherited_socket.h"
#include "common/status.h"
#include "server/engine/engine.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/options.h"

namespace acceld::rpc {

// The gRPC server: an adapter between the protocol (proto/acceld/v1) and an engine, with the
// standard health and reflection services. Its only state is that of open sessions and streams.
//
// The server identifies callers and lets them do what their role allows (auth/gate.h). It creates
// unix sockets with the mode that the options say; a socket file on which no process listens is
// replaced, one on which a process accepts connections is an error. Sockets that were passed to the
// process are used as they are. A passed stream socket is a further address, or replaces the
// address with the same path; a passed packet socket is for bulk bytes
// (segments/segment_server.h). Start, Reload and Shutdown block.
class Server {
 public:
  // Starts a server that uses `engine`, which must outlive it. INVALID_ARGUMENT when there is no
  // address, a TLS address lacks a certificate or any way to identify callers, or a passed packet
  // socket belongs to no address; ALREADY_EXISTS when another daemon listens at an address;
  // UNAVAILABLE when one cannot be bound; and the errors of Reload.
  static absl::StatusOr<std::unique_ptr<Server>> Start(engine::Engine& engine, RpcOptions options,
                                                       std::vector<InheritedSocket> passed = {});
  // Shutdown without a grace period.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The addresses at which the server listens. A TCP port of 0 is replaced by the port that the
  // system chose.
  const std::vector<Address>& addresses() const;
  // The metrics of the transport; they live as long as the server.
  const observability::RpcInstruments& instruments() const;

  // Whether new sessions and Run calls are accepted; false while the server drains or stops. Any
  // thread may call.
  bool accepting() const;

  // Reads tokens, certificates and authorities again, and applies them and the roles of `access` to
  // calls that begin afterwards. An error says what is wrong, and nothing changes then. The server
  // does the same by itself when one of the files changes. Any thread may call; blocks.
  absl::Status Reload(AccessOptions access);

  // The number of RPCs of all services that have begun since the start, and that have not ended. An
  // RPC is counted before it can open a session, so whoever reads these numbers and then the
  // engine's sessions misses no client. Any thread may call.
  struct Calls {
    uint64_t begun = 0, open = 0;
  };
  Calls calls() const;

  // Refuses new sessions and Run calls with UNAVAILABLE, and answers NOT_SERVING to health checks.
  // ResumeAccepting ends that, unless StopAccepting was called. Any thread may call these three.
  void PauseAccepting();
  void ResumeAccepting();
  // The same for good.
  void StopAccepting();
  // Stops accepting, ends all sessions with UNAVAILABLE and stops serving. Waits up to `grace` for
  // the channels of clients on this host to end, then up to `grace` for gRPC's calls, of which the
  // rest is cancelled. Not to be called by several threads.
  void Shutdown(std::chrono::milliseconds grace);

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::rpc
