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

// Listens on a socket and hands over each connection; gRPC's own listener would not tell who comes,
// and would let everybody in. Make and destroy it on one thread.
class Listener {
 public:
  // Gets a non-blocking descriptor. Called on the listener's thread.
  using OnAccept = std::function<void(UniqueFd fd)>;

  // Binds `path`, where no file may be, with this mode. UNAVAILABLE says why it cannot.
  static absl::StatusOr<std::unique_ptr<Listener>> BindUnix(const std::string& path, mode_t mode);
  // Binds all addresses of `host`; `port` of 0 is replaced by a free one. NOT_FOUND (no such host),
  // UNAVAILABLE says why it cannot.
  static absl::StatusOr<std::vector<std::unique_ptr<Listener>>> BindTcp(const std::string& host,
                                                                        uint16_t& port);
  // Takes over a socket that listens and does not block.
  static absl::StatusOr<std::unique_ptr<Listener>> Adopt(UniqueFd socket);
  // Waits for OnAccept to return. The socket's file stays.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // From now on connections are accepted; `failures` counts those that could not be for want of
  // descriptors or memory, after which it waits a moment. It outlives the listener. Call once.
  void Start(OnAccept on_accept, observability::Counter& failures);

 private:
  Listener(UniqueFd socket, UniqueFd stop) : socket_(std::move(socket)), stop_(std::move(stop)) {}
  void Run();

  const UniqueFd socket_, stop_;
  OnAccept on_accept_;
  observability::Counter* failures_ = nullptr;
  std::thread thread_;
};

}  // namespace acceld::rpc
