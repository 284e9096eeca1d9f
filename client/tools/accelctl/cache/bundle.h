#pragma once

#include <string>
#include <vector>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::tools {

// Writes entries of the daemon's cache to a file for ImportBundle: the entries with these keys, or,
// if `keys` is empty, all entries on disk. The file is replaced atomically. Prints the number of
// entries.
absl::Status ExportBundle(client::Admin& admin, const std::string& path,
                          const std::vector<std::string>& keys);

// Sends the entries of a file that ExportBundle wrote to the daemon, which verifies each. Prints
// how many were new, and why each rejected one was rejected. Returns the exit code: 1 if any was
// rejected.
absl::StatusOr<int> ImportBundle(client::Admin& admin, const std::string& path);

}  // namespace acceld::tools
