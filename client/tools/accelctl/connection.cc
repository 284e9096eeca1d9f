#include "client/tools/accelctl/connection.h"

#include <iostream>

#include "client/embedded/connect_or_start.h"
#include "common/net/address.h"

namespace acceld::tools {
namespace {

// Prints the daemon's address if it differs from the one that the user gave.
void PrintAddress(const ConnectionFlags& flags, const std::string& address) {
  const std::string given = flags.address.empty() ? DefaultAddress() : flags.address;
  if (!flags.local && given != address) std::cerr << "at " << address << "\n";
}

}  // namespace

template <typename Options>
absl::Status Connection::Prepare(const ConnectionFlags& flags, Options& options) {
  options.address = flags.address;
  options.credentials = flags.credentials;
  if (!flags.local) return absl::OkStatus();
  ACCELD_ASSIGN_OR_RETURN(private_daemon_,
                          client::PrivateDaemon::Start({.flags = flags.local_flags}));
  options.address = private_daemon_->address();
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::OpenClient(const ConnectionFlags& flags,
                                                                   client::Priority priority) {
  std::unique_ptr<Connection> connection(new Connection());
  client::ConnectOptions options;
  options.device = flags.device;
  options.priority = priority;
  ACCELD_RETURN_IF_ERROR(connection->Prepare(flags, options));
  if (flags.local) {
    ACCELD_ASSIGN_OR_RETURN(connection->client_, client::Client::Connect(options));
  } else {
    ACCELD_ASSIGN_OR_RETURN(connection->client_, client::ConnectOrStart(options));
  }
  PrintAddress(flags, connection->client_->address());
  return connection;
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::OpenAdmin(const ConnectionFlags& flags) {
  std::unique_ptr<Connection> connection(new Connection());
  client::AdminOptions options;
  ACCELD_RETURN_IF_ERROR(connection->Prepare(flags, options));
  ACCELD_ASSIGN_OR_RETURN(connection->admin_, client::Admin::Connect(options));
  PrintAddress(flags, connection->admin_->address());
  return connection;
}

}  // namespace acceld::tools
