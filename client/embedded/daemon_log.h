#pragma once

#include <sys/types.h>

#include <string>

#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::client {

// The log file of a daemon that this process starts.
class DaemonLog {
 public:
  // The size in bytes to which the daemon itself limits the file (its setting log-file-size).
  static constexpr int64_t kMaxBytes = int64_t{4} << 20;

  // Opens the file for appending, and creates it with mode 0600 if necessary. Errors contain the
  // path and the operating system's reason.
  static absl::StatusOr<DaemonLog> Open(const std::string& path);
  // Opens the log of the current user's daemon on this host: $XDG_CACHE_HOME/acceld/HOST.log, or
  // ~/.cache/acceld/HOST.log if that variable is not set. If that file cannot be opened, or neither
  // variable nor home directory is set, opens acceld.log in `fallback_folder`.
  static absl::StatusOr<DaemonLog> OpenOfUser(const std::string& fallback_folder);

  const std::string& path() const { return path_; }
  // The open file, for appending. It has the close-on-exec flag, so child processes do not inherit
  // it.
  int fd() const { return fd_.get(); }
  // Returns the last lines (about twenty at most) that were written since this object opened the
  // file, or "(nothing)".
  std::string Tail() const;

 private:
  DaemonLog(std::string path, UniqueFd fd, off_t begin)
      : path_(std::move(path)), fd_(std::move(fd)), begin_(begin) {}

  std::string path_;
  UniqueFd fd_;
  off_t begin_;
};

}  // namespace acceld::client
