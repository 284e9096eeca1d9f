#include "server/cache/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/crypto/random_bytes.h"

namespace acceld::cache {
namespace {

constexpr absl::string_view kTemporarySuffix = ".tmp";
constexpr size_t kRandomBytes = 8;  // of a temporary file's name

absl::Status ErrnoStatus(int error, absl::string_view what, absl::string_view path) {
  return absl::ErrnoToStatus(error, absl::StrCat(what, " ", path));
}

absl::Status WriteAll(int descriptor, absl::Span<const absl::string_view> pieces,
                      const std::string& path) {
  for (absl::string_view bytes : pieces) {
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return ErrnoStatus(errno, "write", path);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }
  if (fsync(descriptor) != 0) return ErrnoStatus(errno, "fsync", path);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckIsOwn(const struct stat& info, absl::string_view path) {
  if (info.st_uid != geteuid()) {
    return absl::FailedPreconditionError(absl::StrCat(path, " belongs to user ", info.st_uid,
                                                      ", and has to be of user ", geteuid()));
  }
  if ((info.st_mode & 022) != 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s has mode %04o: others may write to it; take that from them (chmod go-w)", path,
        info.st_mode & 07777));
  }
  return absl::OkStatus();
}

absl::StatusOr<Folder> Folder::Check(UniqueFd fd, std::string path) {
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return ErrnoStatus(errno, "stat", path);
  ACCELD_RETURN_IF_ERROR(CheckIsOwn(info, path));
  return Folder(std::move(fd), std::move(path));
}

absl::StatusOr<Folder> Folder::OpenOrMake(const std::string& path) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return ErrnoStatus(errno, "mkdir", path);
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, "open", path);
  return Check(std::move(fd), path);
}

absl::StatusOr<Folder> Folder::OpenIn(const std::string& name) const {
  UniqueFd fd(openat(fd_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return ErrnoStatus(errno, "open", PathOf(name));
  return Check(std::move(fd), PathOf(name));
}

absl::StatusOr<Folder> Folder::OpenOrMakeIn(const std::string& name) const {
  if (mkdirat(fd_.get(), name.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoStatus(errno, "mkdir", PathOf(name));
  }
  return OpenIn(name);
}

absl::StatusOr<std::vector<std::string>> Folder::Names() const {
  // A separate descriptor, as reading a folder moves the position of its descriptor.
  UniqueFd fd(openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus(errno, "open", path_);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(fdopendir(fd.get()), &closedir);
  if (folder == nullptr) return ErrnoStatus(errno, "list", path_);
  (void)fd.Release();  // owned by the stream
  std::vector<std::string> names;
  while (const dirent* const entry = readdir(folder.get())) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

absl::StatusOr<Folder::Contents> Folder::Read(const std::string& name, uint64_t max_bytes) const {
  const std::string path = PathOf(name);
  // O_NONBLOCK, as opening a FIFO would block otherwise.
  const UniqueFd file(
      openat(fd_.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.valid()) return ErrnoStatus(errno, "open", path);
  Contents contents;
  if (fstat(file.get(), &contents.info) != 0) return ErrnoStatus(errno, "stat", path);
  if (!S_ISREG(contents.info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path, " is no file"));
  }
  ACCELD_RETURN_IF_ERROR(CheckIsOwn(contents.info, path));
  std::string& bytes = contents.bytes;
  bytes.resize(std::min(max_bytes, static_cast<uint64_t>(contents.info.st_size)));
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, "read", path);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return contents;
}

absl::StatusOr<struct stat> Folder::Stat(const std::string& name) const {
  struct stat info;
  if (fstatat(fd_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return ErrnoStatus(errno, "stat", PathOf(name));
  }
  return info;
}

absl::StatusOr<std::string> Folder::WriteTemporary(
    const std::string& prefix, absl::Span<const absl::string_view> pieces) const {
  const std::string name = absl::StrCat(
      prefix, ".", absl::BytesToHexString(RandomBytes(kRandomBytes)), kTemporarySuffix);
  const UniqueFd file(
      openat(fd_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return ErrnoStatus(errno, "create", PathOf(name));
  const absl::Status status = WriteAll(file.get(), pieces, PathOf(name));
  if (status.ok()) return name;
  (void)Remove(name);
  return status;
}

absl::Status Folder::Rename(const std::string& from, const std::string& to) const {
  if (renameat(fd_.get(), from.c_str(), fd_.get(), to.c_str()) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "rename to", PathOf(to));
}

absl::Status Folder::Link(const std::string& from, const std::string& to) const {
  if (linkat(fd_.get(), from.c_str(), fd_.get(), to.c_str(), 0) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "link", PathOf(to));
}

absl::Status Folder::Remove(const std::string& name) const {
  if (unlinkat(fd_.get(), name.c_str(), 0) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, "remove", PathOf(name));
}

void Folder::Touch(const std::string& name) const {
  utimensat(fd_.get(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

absl::Status Folder::Flush() const {
  if (fsync(fd_.get()) != 0) return ErrnoStatus(errno, "fsync", path_);
  return absl::OkStatus();
}

}  // namespace acceld::cache
