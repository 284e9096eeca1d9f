#pragma once

#include <cstddef>
#include <string>

#include "common/status.h"

namespace acceld {

// The bytes of a small file. NOT_FOUND, PERMISSION_DENIED or another with path and the system's
// message; INVALID_ARGUMENT when it has more than `max_bytes`. Blocks.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes);

}  // namespace acceld
