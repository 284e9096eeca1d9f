#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/admin.h"
#include "client/client.h"
#include "client/embedded/private_daemon.h"
#include "common/status.h"

namespace acceld::tools {

// Options that say which daemon a command uses.
struct ConnectionFlags {
  std::string address;  // Empty: the default address.
  client::Credentials credentials;
  std::string device;                    // As ConnectOptions::device.
  bool local = false;                    // Start a private daemon for this command.
  std::vector<std::string> local_flags;  // More flags for the private daemon.
};

// A connection to the daemon that the options name. With `local` that is a daemon started for this
// object alone (client/embedded/private_daemon.h). Not thread-safe.
class Connection {
 public:
  // Opens a session. If no daemon is named and none is running, starts one for the user, unless the
  // user has turned that off (client/embedded/connect_or_start.h).
  static absl::StatusOr<std::unique_ptr<Connection>> OpenClient(
      const ConnectionFlags& flags, client::Priority priority = client::Priority::kNormal);
  // Connects without a session, and never starts a daemon (except with `local`).
  static absl::StatusOr<std::unique_ptr<Connection>> OpenAdmin(const ConnectionFlags& flags);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Valid after OpenClient.
  client::Client& client() { return *client_; }
  // Valid after OpenAdmin.
  client::Admin& admin() { return *admin_; }

 private:
  Connection() = default;
  // Starts the private daemon if one is wanted, and sets the address and credentials in `options`.
  template <typename Options>
  absl::Status Prepare(const ConnectionFlags& flags, Options& options);

  // Destroyed after the two below, which use it.
  std::unique_ptr<client::PrivateDaemon> private_daemon_;
  std::shared_ptr<client::Client> client_;
  std::unique_ptr<client::Admin> admin_;
};

}  // namespace acceld::tools
