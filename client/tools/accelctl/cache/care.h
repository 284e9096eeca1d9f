#pragma once

#include <string>
#include <vector>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::tools {

// Verifies every entry and prints the result for each tier. Returns the exit code: 1 if an entry
// was bad.
absl::StatusOr<int> VerifyCache(client::Admin& admin, bool remote);

// Removes the entries with these keys, or all entries if `keys` is empty. Prints how many were
// removed.
absl::Status PurgeCache(client::Admin& admin, const std::vector<std::string>& keys, bool remote);

}  // namespace acceld::tools
