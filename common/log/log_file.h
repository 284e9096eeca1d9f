#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld {

// A file that stands for the process's standard output and standard error, so that what libraries
// write there is in it, too, and that does not grow for ever. Any thread may call.
class LogFile {
 public:
  // Appends to the file, which is made with mode 0600. The system's error, with the path.
  static absl::StatusOr<std::unique_ptr<LogFile>> Open(const std::string& path, int64_t max_bytes);

  // When the file has grown to `max_bytes`: renames it to PATH.old, and begins a new one. Where
  // that fails the file goes on growing. For after each line; does I/O.
  void Limit();

 private:
  LogFile(std::string path, int64_t max_bytes) : path_(std::move(path)), max_bytes_(max_bytes) {}
  absl::Status Redirect() const;

  const std::string path_;
  const int64_t max_bytes_;
  Mutex mutex_;  // So that one thread renames it.
};

}  // namespace acceld
