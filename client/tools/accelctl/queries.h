#pragma once

#include <cstddef>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::tools {

// Questions to the daemon, printed as a table or as JSON.
absl::Status PrintDevices(client::Admin& admin, bool json);
absl::Status PrintSessions(client::Admin& admin, bool json);
absl::Status PrintStats(client::Admin& admin, bool json);
absl::Status PrintCacheStats(client::Admin& admin, bool json);
// At most `limit`; those in the cache that daemons share instead of the daemon's own, if `remote`.
absl::Status PrintCache(client::Admin& admin, bool json, bool remote, size_t limit);
absl::Status PrintNames(client::Admin& admin, bool json);

}  // namespace acceld::tools
