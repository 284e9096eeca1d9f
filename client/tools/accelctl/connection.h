#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

struct ConnectionFlags {
  std::string address;                   // empty: the default address
  bool local = false;                    // start a private daemon for this command
  std::vector<std::string> local_flags;  // further flags for it
};

// A client of the daemon that the flags name. With `local`, that daemon is the `acceld` binary
// beside this one, started on a socket of its own; it ends, and its socket goes, with this object.
// One thread.
class Connection {
 public:
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const ConnectionFlags& flags);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const std::shared_ptr<client::Client>& client() const { return client_; }

 private:
  Connection() = default;
  absl::Status StartLocalDaemon(const std::vector<std::string>& flags);
  void StopLocalDaemon();

  std::string folder_;  // of the private daemon's socket and log
  int daemon_pid_ = 0;  // 0: none
  std::shared_ptr<client::Client> client_;
};

}  // namespace acceld::tools
