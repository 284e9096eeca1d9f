#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/admin.h"
#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

struct ConnectionFlags {
  std::string address;  // empty: the default address
  client::Credentials credentials;
  std::string device;                    // of ConnectOptions
  bool local = false;                    // start a private daemon for this command
  std::vector<std::string> local_flags;  // further flags for it
};

// A way to the daemon that the flags name. With `local`, that daemon is the `acceld` binary
// beside this one, started on a socket of its own; it ends, and its socket goes, with this object.
// One thread.
class Connection {
 public:
  // With a session, or without one.
  static absl::StatusOr<std::unique_ptr<Connection>> OpenClient(
      const ConnectionFlags& flags, client::Priority priority = client::Priority::kNormal);
  static absl::StatusOr<std::unique_ptr<Connection>> OpenAdmin(const ConnectionFlags& flags);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Of OpenClient.
  client::Client& client() { return *client_; }
  // Of OpenAdmin.
  client::Admin& admin() { return *admin_; }

 private:
  Connection() = default;
  // Starts the private daemon, if one is wanted, and fills in how to get to the daemon.
  template <typename Options>
  absl::Status Prepare(const ConnectionFlags& flags, Options& options);
  // With the log of a private daemon.
  absl::Status Explain(const absl::Status& status) const;
  absl::Status StartLocalDaemon(const std::vector<std::string>& flags);
  void StopLocalDaemon();

  std::string folder_;  // of the private daemon's socket and log
  int daemon_pid_ = 0;  // 0: none
  std::shared_ptr<client::Client> client_;
  std::unique_ptr<client::Admin> admin_;
};

}  // namespace acceld::tools
