#pragma once

#include "client/admin.h"
#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

// Questions to the daemon, printed as a table or as JSON.
absl::Status PrintDevices(client::Admin& admin, bool json);
absl::Status PrintSessions(client::Admin& admin, bool json);
absl::Status PrintStats(client::Admin& admin, bool json);
absl::Status PrintCache(client::Admin& admin, bool json);
// In a session: what may be opened depends on who asks.
absl::Status PrintNames(client::Client& client, bool json);

}  // namespace acceld::tools
