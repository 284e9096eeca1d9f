#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/admin.h"
#include "client/client.h"
#include "client/embedded/private_daemon.h"
#include "common/status.h"

namespace acceld::tools {

struct ConnectionFlags {
  std::string address;  // empty: the default address
  client::Credentials credentials;
  std::string device;                    // of ConnectOptions
  bool local = false;                    // start a private daemon for this command
  std::vector<std::string> local_flags;  // further flags for it
};

// A way to the daemon that the flags name. With `local` that is one for this object alone
// (client/embedded/private_daemon.h). One thread.
class Connection {
 public:
  // With a session; where no daemon is named, and there is none, one is started for the user, who
  // may have refused that (client/embedded/connect_or_start.h). Or without a session, which starts
  // none.
  static absl::StatusOr<std::unique_ptr<Connection>> OpenClient(
      const ConnectionFlags& flags, client::Priority priority = client::Priority::kNormal);
  static absl::StatusOr<std::unique_ptr<Connection>> OpenAdmin(const ConnectionFlags& flags);
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

  std::unique_ptr<client::PrivateDaemon> private_daemon_;  // Ends after the two that use it.
  std::shared_ptr<client::Client> client_;
  std::unique_ptr<client::Admin> admin_;
};

}  // namespace acceld::tools
