#pragma once

#include <cstddef>

#include "client/admin.h"
#include "client/tools/accelctl/queries/list_output.h"
#include "common/status.h"

// Commands that request information from the daemon and print it as tables or as JSON.
namespace acceld::tools {

absl::Status PrintDevices(client::Admin& admin, const ListOutput& output);
absl::Status PrintStats(client::Admin& admin, const ListOutput& output);
absl::Status PrintCacheStats(client::Admin& admin, const ListOutput& output);
absl::Status PrintNames(client::Admin& admin, const ListOutput& output);

// Prints the open sessions and what occupies devices, and with `ended` also the sessions that ended
// last.
absl::Status PrintSessions(client::Admin& admin, bool ended, const ListOutput& output);

// Prints at most `limit` entries of the daemon's own cache, or, if `remote` is true, of the remote
// cache that several daemons share.
absl::Status PrintCache(client::Admin& admin, bool remote, size_t limit, const ListOutput& output);

}  // namespace acceld::tools
