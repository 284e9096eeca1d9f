#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

// The few file operations of the disk tier, as Statuses that name the file. All of them do I/O.
namespace acceld::cache {

// Makes the folder and its parents, readable by the owner only. Existing ones stay as they are.
absl::Status MakeFolder(const std::string& path);
// At most `max_bytes` from the beginning. Does not follow a symbolic link. NOT_FOUND when absent.
absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes);
// A new file with these bytes that only the owner can read, flushed to the medium; its name, which
// begins with `prefix` and ends with ".tmp", and which no file had before. Leaves nothing behind on
// failure.
absl::StatusOr<std::string> WriteTemporaryFile(const std::string& prefix, absl::string_view bytes);
// Flushes a folder's names to the medium.
absl::Status FlushFolder(const std::string& path);
// A status for errno.
absl::Status ErrnoStatus(int error, absl::string_view what, absl::string_view path);

}  // namespace acceld::cache
