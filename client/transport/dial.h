#pragma once

#include <chrono>
#include <memory>

#include "absl/strings/string_view.h"
#include "common/address.h"
#include "common/status.h"
#include "grpcpp/channel.h"

// How a client gets to a daemon.
namespace acceld::client {

// A channel with a connection of its own, for a session with this lease (0: none).
std::shared_ptr<grpc::Channel> MakeChannel(const Address& address, std::chrono::milliseconds lease);

// Blocks until the channel is connected. UNAVAILABLE when nobody listens (at once, unless
// `wait_for_daemon`) or the timeout is over; the message says how to start a daemon.
absl::Status AwaitDaemon(grpc::Channel& channel, const Address& address,
                         std::chrono::milliseconds timeout, bool wait_for_daemon);

// UNAVAILABLE, with the same advice.
absl::Status NobodyAnswers(const Address& address, absl::string_view why);

}  // namespace acceld::client
