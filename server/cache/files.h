#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

// The few file operations of the disk tier, as Statuses that name the file. All of them do I/O.
namespace acceld::cache {

// An open folder that this user alone may write to, and what is done in it by names without a path.
// It and its files are opened first and looked at then, so that nobody can change in between what a
// name stands for; none of the names is a symbolic link. A folder or file that belongs to another
// user, or that its group or others may write to, is refused with FAILED_PRECONDITION.
//
// Thread-safe.
class Folder {
 public:
  // Makes the folder, and its parents, where they are missing, for the owner only. `path` itself
  // may be a symbolic link.
  static absl::StatusOr<Folder> OpenOrMake(const std::string& path);
  absl::StatusOr<Folder> OpenOrMakeIn(const std::string& name) const;
  // NOT_FOUND when there is none.
  absl::StatusOr<Folder> OpenIn(const std::string& name) const;

  // Of all files and folders.
  absl::StatusOr<std::vector<std::string>> Names() const;
  struct Contents {
    std::string bytes;
    struct stat info{};
  };
  // At most `max_bytes` from the beginning of a regular file. NOT_FOUND when absent.
  absl::StatusOr<Contents> Read(const std::string& name, uint64_t max_bytes) const;
  // What a name stands for. NOT_FOUND.
  absl::StatusOr<struct stat> Look(const std::string& name) const;
  // A new file with these bytes that only the owner can read, flushed to the medium; its name,
  // which begins with `prefix` and ends with ".tmp", and which no file had before. Leaves nothing
  // behind on failure.
  absl::StatusOr<std::string> WriteTemporary(const std::string& prefix,
                                             absl::string_view bytes) const;
  // Replaces what has the name.
  absl::Status Rename(const std::string& from, const std::string& to) const;
  // Another name for a file. ALREADY_EXISTS when it is in use.
  absl::Status Link(const std::string& from, const std::string& to) const;
  // NOT_FOUND when absent.
  absl::Status Remove(const std::string& name) const;
  // Says that the file is used now.
  void Touch(const std::string& name) const;
  // Flushes the names to the medium.
  absl::Status Flush() const;

  const std::string& path() const { return path_; }
  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }

 private:
  Folder(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  static absl::StatusOr<Folder> Check(UniqueFd fd, std::string path);

  UniqueFd fd_;
  std::string path_;  // For messages.
};

// FAILED_PRECONDITION when it belongs to another user, or others may write to it.
absl::Status CheckIsOwn(const struct stat& info, absl::string_view path);

}  // namespace acceld::cache
