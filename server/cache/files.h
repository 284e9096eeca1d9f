#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

// The file operations of the disk tier. Each returns a Status that names the file, and each does
// I/O.
namespace acceld::cache {

// An open folder that only this user may write to, with operations on the files in it. Names have
// no path and must not be symbolic links. Each folder and file is opened first and checked through
// its descriptor, so that nobody can exchange it in between. A folder or file that belongs to
// another user, or that its group or others may write to, is refused with FAILED_PRECONDITION.
//
// Thread-safe.
class Folder {
 public:
  // Opens a folder after creating it with mode 0700, and its parents with default permissions,
  // where they are missing. `path` itself may be a symbolic link.
  static absl::StatusOr<Folder> OpenOrMake(const std::string& path);
  // Like OpenOrMake, for a subfolder.
  absl::StatusOr<Folder> OpenOrMakeIn(const std::string& name) const;
  // Opens a subfolder. NOT_FOUND when there is none.
  absl::StatusOr<Folder> OpenIn(const std::string& name) const;

  // Returns the names of all files and folders in this folder.
  absl::StatusOr<std::vector<std::string>> Names() const;
  struct Contents {
    std::string bytes;
    struct stat info{};
  };
  // Reads at most the first `max_bytes` of a regular file. NOT_FOUND when it is absent.
  absl::StatusOr<Contents> Read(const std::string& name, uint64_t max_bytes) const;
  // Returns the attributes of a file or folder (lstat). NOT_FOUND when it is absent.
  absl::StatusOr<struct stat> Stat(const std::string& name) const;
  // Writes a new file of these pieces that only the owner can read, and flushes it to the medium.
  // Returns its name, a new one that begins with `prefix` and ends with ".tmp". Removes the file on
  // failure.
  absl::StatusOr<std::string> WriteTemporary(const std::string& prefix,
                                             absl::Span<const absl::string_view> pieces) const;
  // Renames a file, replacing the one that has the name `to`.
  absl::Status Rename(const std::string& from, const std::string& to) const;
  // Creates a hard link. ALREADY_EXISTS when the name `to` is in use.
  absl::Status Link(const std::string& from, const std::string& to) const;
  // Removes a file. NOT_FOUND when it is absent.
  absl::Status Remove(const std::string& name) const;
  // Sets the modification time of a file to the present.
  void Touch(const std::string& name) const;
  // Flushes the directory entries to the medium.
  absl::Status Flush() const;

  const std::string& path() const { return path_; }
  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }

 private:
  Folder(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  // Makes a Folder of a descriptor after CheckIsOwn.
  static absl::StatusOr<Folder> Check(UniqueFd fd, std::string path);

  UniqueFd fd_;
  std::string path_;  // for messages
};

// Returns FAILED_PRECONDITION when the file belongs to another user or others may write to it.
absl::Status CheckIsOwn(const struct stat& info, absl::string_view path);

}  // namespace acceld::cache
