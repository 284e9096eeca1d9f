#pragma once

#include <cstddef>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::tools {

// Each of these requests information from the daemon and prints it as a table, or as JSON if `json`
// is true.
absl::Status PrintDevices(client::Admin& admin, bool json);
absl::Status PrintSessions(client::Admin& admin, bool json);
absl::Status PrintStats(client::Admin& admin, bool json);
absl::Status PrintCacheStats(client::Admin& admin, bool json);
// Prints at most `limit` entries of the daemon's own cache, or, if `remote` is true, of the remote
// cache that several daemons share.
absl::Status PrintCache(client::Admin& admin, bool json, bool remote, size_t limit);
absl::Status PrintNames(client::Admin& admin, bool json);

}  // namespace acceld::tools
