#pragma once

#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

// Questions to the daemon, printed as a table or as JSON.
absl::Status PrintDevices(client::Client& client, bool json);
absl::Status PrintSessions(client::Client& client, bool json);
absl::Status PrintStats(client::Client& client, bool json);
absl::Status PrintNames(client::Client& client, bool json);
absl::Status PrintCache(client::Client& client, bool json);

}  // namespace acceld::tools
