#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>

#include "absl/functional/function_ref.h"
#include "common/status.h"

namespace acceld {

// Returns the bytes of a file. INVALID_ARGUMENT when it has more than `max_bytes`; NOT_FOUND,
// PERMISSION_DENIED or another code, with the path and the system's message, when it cannot be
// read. Blocks.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes);
// As above, for a file that `check` accepts; returns the error of `check` otherwise. `check` gets
// the fstat(2) data of the file that was opened for reading, so the checked file is the one that is
// read even if another file is moved to the path meanwhile.
absl::StatusOr<std::string> ReadSmallFile(
    const std::string& path, size_t max_bytes,
    absl::FunctionRef<absl::Status(const struct stat& info)> check);

}  // namespace acceld
