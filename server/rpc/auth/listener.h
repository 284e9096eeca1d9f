#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "common/status.h"
#include "common/unique_fd.h"
#include "server/rpc/auth/peer_credentials.h"

namespace acceld::rpc {

// Listens on a unix socket and hands over each connection with the credentials of its peer; gRPC's
// own listener would not tell them. Make and destroy it on one thread.
class UnixListener {
 public:
  // Gets a non-blocking descriptor, which it owns. Called on the listener's thread.
  using OnAccept = std::function<void(int fd, PeerCredentials peer)>;

  // Binds `path`, where no file may be, with this mode. UNAVAILABLE says why it cannot.
  static absl::StatusOr<std::unique_ptr<UnixListener>> Bind(const std::string& path, mode_t mode);
  // Takes over a socket that listens and does not block.
  static absl::StatusOr<std::unique_ptr<UnixListener>> Adopt(UniqueFd socket);
  // Waits for OnAccept to return. The socket's file stays.
  ~UnixListener();
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  // From now on connections are accepted. Call once.
  void Start(OnAccept on_accept);

 private:
  UnixListener(UniqueFd socket, UniqueFd stop)
      : socket_(std::move(socket)), stop_(std::move(stop)) {}
  void Run();

  const UniqueFd socket_, stop_;
  OnAccept on_accept_;
  std::thread thread_;
};

}  // namespace acceld::rpc
