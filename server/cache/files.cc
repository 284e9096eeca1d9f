#include "server/cache/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace acceld::cache {
namespace {

constexpr absl::string_view kTemporarySuffix = ".tmp";

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

absl::Status WriteAll(int descriptor, absl::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, "write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  if (fsync(descriptor) != 0) return ErrnoStatus(errno, "fsync", path);
  return absl::OkStatus();
}

}  // namespace

absl::Status ErrnoStatus(int error, absl::string_view what, absl::string_view path) {
  return absl::ErrnoToStatus(error, absl::StrCat(what, " ", path));
}

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (mkdir(path.c_str(), 0700) == 0) return absl::OkStatus();
  if (errno != EEXIST) return ErrnoStatus(errno, "mkdir", path);
  if (std::filesystem::is_directory(path, error)) return absl::OkStatus();
  return ErrnoStatus(ENOTDIR, "mkdir", path);
}

absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes) {
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) return ErrnoStatus(errno, "open", path);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return ErrnoStatus(errno, "stat", path);
  if (!S_ISREG(info.st_mode))
    return absl::FailedPreconditionError(absl::StrCat(path, " is no file"));
  std::string bytes(std::min(max_bytes, static_cast<uint64_t>(info.st_size)), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, "read", path);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

absl::StatusOr<std::string> WriteTemporaryFile(const std::string& prefix, absl::string_view bytes) {
  std::string path = absl::StrCat(prefix, ".XXXXXX", kTemporarySuffix);
  const File file(mkostemps(path.data(), static_cast<int>(kTemporarySuffix.size()), O_CLOEXEC));
  if (file.get() < 0) return ErrnoStatus(errno, "create", path);
  const absl::Status status = WriteAll(file.get(), bytes, path);
  if (status.ok()) return path;
  unlink(path.c_str());
  return status;
}

absl::Status FlushFolder(const std::string& path) {
  const File folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return ErrnoStatus(errno, "open", path);
  if (fsync(folder.get()) != 0) return ErrnoStatus(errno, "fsync", path);
  return absl::OkStatus();
}

}  // namespace acceld::cache
