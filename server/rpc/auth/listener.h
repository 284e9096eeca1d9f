#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/files/unique_fd.h"
#include "common/status.h"
#include "server/observability/instruments/counter.h"

namespace acceld::rpc {

// Listens on one socket and passes each accepted connection to a callback, on a thread of its own.
// gRPC's own listener is not used, because it admits every connection and does not say who the peer
// is. The thread that constructs the listener must also destroy it.
class Listener {
 public:
  // Receives the non-blocking descriptor of a connection. Called on the listener's thread.
  using OnAccept = std::function<void(UniqueFd fd)>;

  // Listens on a unix socket at `path`, where no file may exist; the socket file gets this mode.
  // UNAVAILABLE, with the reason, when that fails.
  static absl::StatusOr<std::unique_ptr<Listener>> BindUnix(const std::string& path, mode_t mode);
  // Listens on those addresses of `host` that can be bound, with one listener for each. A `port` of
  // 0 is replaced by a free one. NOT_FOUND when there is no such host; UNAVAILABLE, with the
  // reason, when no address can be bound. Blocks while the host's name is resolved.
  static absl::StatusOr<std::vector<std::unique_ptr<Listener>>> BindTcp(const std::string& host,
                                                                        uint16_t& port);
  // Takes over a socket that is listening already and is non-blocking.
  static absl::StatusOr<std::unique_ptr<Listener>> Adopt(UniqueFd socket);
  // Closes the socket, but leaves its file. Blocks until a running callback has returned.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Begins to accept connections. To be called at most once. `failures`, which must outlive the
  // listener, counts the attempts that failed for want of descriptors or memory; the listener
  // pauses for a moment after each.
  void Start(OnAccept on_accept, observability::Counter& failures);

 private:
  Listener(UniqueFd socket, UniqueFd stop) : socket_(std::move(socket)), stop_(std::move(stop)) {}
  void Run();

  const UniqueFd socket_, stop_;  // stop_ is an eventfd that ends the thread
  OnAccept on_accept_;
  observability::Counter* failures_ = nullptr;
  std::thread thread_;
};

}  // namespace acceld::rpc
