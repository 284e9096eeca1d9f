#include "server/cache/node_key.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/random_bytes.h"
#include "server/cache/files.h"

namespace acceld::cache {
namespace {

constexpr size_t kKeyBytes = 32;

// NOT_FOUND when there is no key that may be used.
absl::StatusOr<SigningKey> LoadNodeKey(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return ErrnoStatus(errno, "stat", path);
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is not a file of this user; remove it"));
  }
  absl::StatusOr<SigningKey> key = ReadFile(path, kKeyBytes + 1);
  if (!key.ok()) return key;
  if ((info.st_mode & 077) == 0 && key->size() == kKeyBytes) return key;
  LogWarning(path,
             " was readable by others or damaged; a new key is made, old entries are dropped");
  unlink(path.c_str());
  return absl::NotFoundError(path);
}

}  // namespace

absl::StatusOr<SigningKey> LoadOrCreateNodeKey(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/node.key");
  absl::StatusOr<SigningKey> found = LoadNodeKey(path);
  if (!absl::IsNotFound(found.status())) return found;

  const SigningKey key = RandomBytes(kKeyBytes);
  // Written whole under another name and then linked, so that nobody reads half a key and the first
  // of several processes wins.
  ACCELD_ASSIGN_OR_RETURN(const std::string temporary, WriteTemporaryFile(path, key));
  const int error = link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  unlink(temporary.c_str());
  if (error != 0 && error != EEXIST) return ErrnoStatus(error, "link", path);
  return LoadNodeKey(path);
}

}  // namespace acceld::cache
