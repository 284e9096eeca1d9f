#include "common/log/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/files/unique_fd.h"

namespace acceld {

absl::StatusOr<std::unique_ptr<LogFile>> LogFile::Open(const std::string& path, int64_t max_bytes) {
  std::unique_ptr<LogFile> file(new LogFile(path, max_bytes));
  ACCELD_RETURN_IF_ERROR(file->Redirect());
  return file;
}

absl::Status LogFile::Redirect() const {
  const UniqueFd fd(
      open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid() || dup2(fd.get(), STDOUT_FILENO) < 0 || dup2(fd.get(), STDERR_FILENO) < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot write the log to ", path_));
  }
  return absl::OkStatus();
}

void LogFile::RotateIfFull() {
  MutexLock lock(mutex_);
  struct stat info;
  if (fstat(STDERR_FILENO, &info) != 0 || info.st_size < max_bytes_) return;
  if (rename(path_.c_str(), absl::StrCat(path_, ".old").c_str()) != 0) return;
  (void)Redirect();
}

}  // namespace acceld
