#pragma once

#include <memory>

#include "client/client.h"
#include "client/embedded/start_options.h"
#include "common/status.h"

namespace acceld::client {

// Like Client::Connect, but starts a daemon if none is running, so that programs work without any
// set-up. If ConnectOptions::address and $ACCELD_ADDRESS name no daemon, and none listens at the
// default addresses (DefaultClientAddress in common/net/address.h), this function starts a daemon
// for the current user at the user's default address and connects to it. Other processes of the
// user share that daemon; it exits when it has been idle for StartOptions::idle_timeout. If several
// processes call this at once, one of them starts the daemon and all use it; killing that process
// does not block the others. If a daemon is just shutting down, this function waits for its end and
// starts another.
//
// With Autostart::kOff no daemon is started, and the error says how to start one. With
// Autostart::kPrivate this function always starts a PrivateDaemon, even if another daemon listens;
// the PrivateDaemon ends when the last reference to the returned client is dropped, or with the
// process.
//
// The version of a daemon must be compatible with this library's (version_skew.h); otherwise the
// error is FAILED_PRECONDITION, with both versions and what to do. The exception is a daemon at the
// user's own default address that a client has started: if it is idle, and is incompatible or older
// than this library, it is replaced. A compatible older daemon that is in use is used as it is.
//
// Errors: those of Client::Connect; INVALID_ARGUMENT for an unknown value of $ACCELD_AUTOSTART, or
// if a daemon is named but kPrivate asks for a private one; those of PrepareSocketFolder for the
// default address; those of FindDaemon and LaunchDaemon, which quote the daemon's log;
// DEADLINE_EXCEEDED if there is no session after StartOptions::start_timeout. Any thread may call.
// Blocks.
absl::StatusOr<std::shared_ptr<Client>> ConnectOrStart(ConnectOptions options = {},
                                                       const StartOptions& start = {});

}  // namespace acceld::client
