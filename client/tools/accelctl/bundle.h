#pragma once

#include <string>
#include <vector>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::tools {

// Writes entries of the daemon's cache to a file that ImportBundle reads, elsewhere: those of these
// keys, or all that are on disk. The file appears whole or not at all. Prints how many they were.
absl::Status ExportBundle(client::Admin& admin, const std::string& path,
                          const std::vector<std::string>& keys);

// Gives the entries of such a file to the daemon, which verifies each. Prints how many were new,
// and the reason for each that was refused. Gives the exit code: 1 when one was.
absl::StatusOr<int> ImportBundle(client::Admin& admin, const std::string& path);

}  // namespace acceld::tools
