#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "common/status.h"
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
  // Waits for OnAccept to return. The socket's file stays.
  ~UnixListener();
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  // From now on connections are accepted. Call once.
  void Start(OnAccept on_accept);

 private:
  UnixListener(int socket_fd, int stop_fd) : socket_fd_(socket_fd), stop_fd_(stop_fd) {}
  void Run();

  const int socket_fd_, stop_fd_;
  OnAccept on_accept_;
  std::thread thread_;
};

}  // namespace acceld::rpc
