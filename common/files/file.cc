#include "common/files/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/files/unique_fd.h"

namespace acceld {

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes) {
  return ReadSmallFile(path, max_bytes, [](const struct stat&) { return absl::OkStatus(); });
}

absl::StatusOr<std::string> ReadSmallFile(
    const std::string& path, size_t max_bytes,
    absl::FunctionRef<absl::Status(const struct stat& info)> check) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  }
  ACCELD_RETURN_IF_ERROR(check(info));
  std::string bytes;
  char buffer[16 << 10];
  ssize_t got = 0;
  do {
    got = read(fd.get(), buffer, sizeof(buffer));
    if (got > 0) bytes.append(buffer, static_cast<size_t>(got));
  } while ((got > 0 && bytes.size() <= max_bytes) || (got < 0 && errno == EINTR));
  if (got < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  if (bytes.size() > max_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " has more than the ", max_bytes, " bytes that are read of it"));
  }
  return bytes;
}

}  // namespace acceld
