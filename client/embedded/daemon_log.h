#pragma once

#include <sys/types.h>

#include <string>

#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::client {

// The file that daemons which are started here log to.
class DaemonLog {
 public:
  // The daemon itself keeps the file at this size (its setting log-file-size).
  static constexpr int64_t kMaxBytes = int64_t{4} << 20;

  // Opens the file, which is made with mode 0600. The system's error, with the path.
  static absl::StatusOr<DaemonLog> Open(const std::string& path);
  // The same for the daemon of this user on this host: $XDG_CACHE_HOME/acceld/HOST.log, else
  // ~/.cache/acceld/HOST.log; where none of these can be written, acceld.log in `fallback_folder`.
  static absl::StatusOr<DaemonLog> OpenOfUser(const std::string& fallback_folder);

  const std::string& path() const { return path_; }
  // For appending; no process that is started gets it by itself.
  int fd() const { return fd_.get(); }
  // The last lines, at most some twenty, of what was written since it was opened here; says so when
  // that is nothing.
  std::string Tail() const;

 private:
  DaemonLog(std::string path, UniqueFd fd, off_t begin)
      : path_(std::move(path)), fd_(std::move(fd)), begin_(begin) {}

  std::string path_;
  UniqueFd fd_;
  off_t begin_;
};

}  // namespace acceld::client
