#pragma once

#include <string>

#include "common/status.h"

namespace acceld::client {

// The path of the daemon's binary. $ACCELD_DAEMON where that is set; else `preferred` unless it is
// empty; else the `acceld` beside the program or shared object that this function is linked into,
// or in the folder `bin` beside its folder; else the one on $PATH. NOT_FOUND says where it was
// looked for; a path that is named, and has no executable file, is not passed over. The path is
// absolute.
absl::StatusOr<std::string> FindDaemon(const std::string& preferred);

}  // namespace acceld::client
