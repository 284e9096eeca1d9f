#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/net/passed_socket.h"
#include "common/status.h"
#include "server/engine/engine.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/options.h"

namespace acceld::rpc {

// The gRPC server: an adapter between proto/acceld/v1 and an engine, with the standard health and
// reflection services. It keeps no state of its own but that of open streams.
//
// It finds out who calls, and lets callers do what their role allows (auth/gate.h). Unix sockets
// are made with the mode of the options; a socket file that nobody listens on is replaced, one that
// answers is an error. Sockets that are passed are used as they are: those of streams beside the
// addresses of the options, or in place of one with the same path, those of packets for bulk bytes
// (segments/segment_server.h). Start and Shutdown block; call each from one thread.
class Server {
 public:
  // `engine` must outlive the server. INVALID_ARGUMENT without an address, for a TLS address
  // without a certificate, or for a passed socket that belongs to no address; the errors of Reload;
  // ALREADY_EXISTS when another daemon answers at one; UNAVAILABLE when one cannot be bound.
  static absl::StatusOr<std::unique_ptr<Server>> Start(engine::Engine& engine, RpcOptions options,
                                                       std::vector<PassedSocket> passed = {});
  // Shuts down at once.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // What it listens on; a TCP port of 0 is replaced by the one that was chosen.
  const std::vector<Address>& addresses() const;
  // What it has counted; lives as long as the server.
  const observability::RpcInstruments& instruments() const;

  // Whether it takes new channels and runs; false while it drains or stops. Any thread.
  bool accepting() const;

  // Reads tokens, certificates and authorities again and puts them and the roles of `access` into
  // effect, for calls from now on. An error names what is wrong, and all stays as it is. When one
  // of the files changes, the server does the same by itself. Blocks.
  absl::Status Reload(AccessOptions access);

  // The RPCs of all services that have come so far, and those that have not ended. One that comes
  // is counted before it is decided whether it opens a session, so that this and the engine's
  // sessions together miss none. Any thread.
  struct Calls {
    uint64_t begun = 0, open = 0;
  };
  Calls calls() const;

  // Says "not serving" to health checks and refuses new channels and runs: until ResumeAccepting,
  // which does nothing after StopAccepting, or for good. Any thread.
  void PauseAccepting();
  void ResumeAccepting();
  void StopAccepting();
  // Ends open streams with UNAVAILABLE, waits at most `grace` for calls to finish, closes.
  void Shutdown(std::chrono::milliseconds grace);

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace acceld::rpc
