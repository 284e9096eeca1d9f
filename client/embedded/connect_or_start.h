#pragma once

#include <memory>

#include "client/client.h"
#include "client/embedded/start_options.h"
#include "common/status.h"

namespace acceld::client {

// Client::Connect for programs that are to work without any set-up: where no daemon is named, by
// ConnectOptions::address or $ACCELD_ADDRESS, and none listens at the default addresses
// (DefaultClientAddress in common/net/address.h), it starts one for this user there and connects to
// that. Other processes of the user find it, and it ends when nobody has used it for
// StartOptions::idle_timeout. Of any number of processes that do this at once one starts a daemon,
// and all use it; one that is killed meanwhile holds up nobody. A daemon that is just ending is
// waited for, and followed by another.
//
// With Autostart::kOff it starts none, and says how somebody else would. With kPrivate it starts a
// PrivateDaemon, whatever listens elsewhere, which ends when the client and all who share it have
// gone, or with the process.
//
// However the daemon was found, its version has to go with this library's (version_skew.h):
// otherwise the error is FAILED_PRECONDITION with both versions and what to do about it. An idle
// daemon at the user's own default address, one that clients have started, is replaced instead,
// also by a later release that would go with it.
//
// Errors: those of Client::Connect; INVALID_ARGUMENT for an unknown $ACCELD_AUTOSTART, or a daemon
// that is named and to be private; those of PrepareSocketFolder for the default address; those of
// FindDaemon and LaunchDaemon, which quote the daemon's log. DEADLINE_EXCEEDED when there is no
// session after StartOptions::start_timeout. Any thread may call; blocks.
absl::StatusOr<std::shared_ptr<Client>> ConnectOrStart(ConnectOptions options = {},
                                                       const StartOptions& start = {});

}  // namespace acceld::client
