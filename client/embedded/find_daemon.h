#pragma once

#include <string>

#include "common/status.h"

namespace acceld::client {

// Returns the absolute path of the daemon's executable, which is the first of: $ACCELD_DAEMON;
// `preferred`, unless it is empty; the file `acceld` in the folder of the program or shared object
// that contains this code; `bin/acceld` in that folder's parent; the `acceld` on $PATH. NOT_FOUND
// lists where it was searched for. If $ACCELD_DAEMON or `preferred` is set but is not an executable
// file, that is NOT_FOUND at once.
absl::StatusOr<std::string> FindDaemon(const std::string& preferred);

}  // namespace acceld::client
