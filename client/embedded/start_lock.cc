#include "client/embedded/start_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::client {

absl::StatusOr<absl::optional<StartLock>> StartLock::Try(const std::string& socket_path) {
  const std::string path = absl::StrCat(socket_path, ".start");
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return absl::optional<StartLock>();
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot lock ", path));
  }
  return absl::optional<StartLock>(StartLock(std::move(fd)));
}

StartLock::~StartLock() {
  // Closing the file is not enough, because a process that was forked meanwhile has it open, too.
  if (fd_.valid()) (void)flock(fd_.get(), LOCK_UN);
}

}  // namespace acceld::client
