#pragma once

#include <chrono>
#include <memory>

#include "absl/strings/string_view.h"
#include "client/transport/attempt.h"
#include "client/transport/secrets.h"
#include "common/address.h"
#include "common/status.h"
#include "grpcpp/channel.h"

// How a client gets to a daemon.
namespace acceld::client {

// A channel with a connection of its own to an address that Resolve has given, for a session with
// this lease (0: none). Its calls carry the token, if there is one.
std::shared_ptr<grpc::Channel> MakeChannel(const Address& address, const Secrets& secrets,
                                           std::chrono::milliseconds lease);

// Blocks until the channel is connected. UNAVAILABLE when nobody listens (at once, unless the
// attempt waits for a daemon), who listens does not speak as we do (TLS, or none; another
// certificate), or the timeout is over.
absl::Status AwaitDaemon(const std::shared_ptr<grpc::Channel>& channel, const Attempt& attempt);

// UNAVAILABLE, with advice to start one if it is the only.
absl::Status NobodyAnswers(const Attempt& attempt, absl::string_view why);

}  // namespace acceld::client
