#include "server/rpc/socket_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::rpc {
namespace {

absl::Status Taken(const Address& address) {
  return absl::AlreadyExistsError(
      absl::StrCat("another daemon listens on ", address.ToString(),
                   "; stop it, or choose another address with --listen"));
}

}  // namespace

absl::StatusOr<SocketClaim> SocketClaim::Take(const Address& address) {
  ACCELD_RETURN_IF_ERROR(PrepareSocketFolder(address));
  if (!address.is_unix()) {
    if (address.port != 0 && Probe(address).ok()) return Taken(address);
    return SocketClaim();
  }
  const std::string& path = address.unix_path;
  const std::string lock_path = absl::StrCat(path, ".lock");
  const int fd = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", lock_path));
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    return Taken(address);
  }
  SocketClaim claim(fd, "");  // without the path, so that an early return does not remove the file
  struct stat info;
  if (lstat(path.c_str(), &info) == 0) {
    if (!S_ISSOCK(info.st_mode)) {
      return absl::FailedPreconditionError(absl::StrCat(path, " exists and is not a socket"));
    }
    if (Probe(address).ok()) return Taken(address);
    if (unlink(path.c_str()) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot remove the stale socket ", path));
    }
  }
  claim.path_ = path;
  return claim;
}

SocketClaim::SocketClaim(SocketClaim&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::exchange(other.path_, "")) {}

SocketClaim& SocketClaim::operator=(SocketClaim&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

SocketClaim::~SocketClaim() {
  if (!path_.empty()) unlink(path_.c_str());
  if (fd_ >= 0) close(fd_);
}

}  // namespace acceld::rpc
