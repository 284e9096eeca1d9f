#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld {

// A log file of limited size that replaces the process's standard output and standard error, so
// that it also gets what libraries write there. Thread-safe.
class LogFile {
 public:
  // Opens the file for appending, creates it with mode 0600 if it does not exist, and redirects
  // standard output and standard error to it. Returns the system's error, with the path.
  static absl::StatusOr<std::unique_ptr<LogFile>> Open(const std::string& path, int64_t max_bytes);

  // Renames the file to PATH.old and begins a new one if it has grown to `max_bytes`. If the
  // renaming fails, the file keeps growing. To be called after each line; does I/O.
  void RotateIfFull();

 private:
  LogFile(std::string path, int64_t max_bytes) : path_(std::move(path)), max_bytes_(max_bytes) {}
  // Opens the file and makes it standard output and standard error.
  absl::Status Redirect() const;

  const std::string path_;
  const int64_t max_bytes_;
  Mutex mutex_;  // Lets one thread at a time rename the file.
};

}  // namespace acceld
