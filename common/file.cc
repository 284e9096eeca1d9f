#include "common/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace acceld {

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t max_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  std::string bytes;
  char buffer[16 << 10];
  ssize_t got = 0;
  do {
    got = read(fd, buffer, sizeof(buffer));
    if (got > 0) bytes.append(buffer, static_cast<size_t>(got));
  } while ((got > 0 && bytes.size() <= max_bytes) || (got < 0 && errno == EINTR));
  const int error = errno;
  close(fd);
  if (got < 0) return absl::ErrnoToStatus(error, absl::StrCat("cannot read ", path));
  if (bytes.size() > max_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " has more than the ", max_bytes, " bytes that are read of it"));
  }
  return bytes;
}

}  // namespace acceld
