#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>

#include "absl/functional/function_ref.h"
#include "common/status.h"

namespace acceld {

// The bytes of a small file. NOT_FOUND, PERMISSION_DENIED or another with path and the system's
// message; INVALID_ARGUMENT when it has more than `max_bytes`. Blocks.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes);
// The same of a file whose owner and mode pass `check`, whose error it gives otherwise. It is about
// the very file that is read, whatever the path stands for meanwhile.
absl::StatusOr<std::string> ReadSmallFile(
    const std::string& path, size_t max_bytes,
    absl::FunctionRef<absl::Status(const struct stat& info)> check);

}  // namespace acceld
