#include "server/cache/node_key.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/crypto/random_bytes.h"
#include "common/log/log.h"

namespace acceld::cache {
namespace {

constexpr size_t kKeyBytes = 32;
constexpr char kName[] = "node.key";

// Reads the key. NOT_FOUND when there is none that may be used; one that others can access is
// removed.
absl::StatusOr<SigningKey> LoadNodeKey(const Folder& folder) {
  ACCELD_ASSIGN_OR_RETURN(const struct stat before, folder.Stat(kName));
  if (!S_ISREG(before.st_mode) || before.st_uid != geteuid()) {
    return absl::FailedPreconditionError(
        absl::StrCat(folder.PathOf(kName), " is not a file of this user; remove it"));
  }
  absl::StatusOr<Folder::Contents> key = folder.Read(kName, kKeyBytes + 1);
  // The file that Read opens decides, not the one seen before; Read refuses a file that others may
  // write to.
  const bool may_be_written = absl::IsFailedPrecondition(key.status());
  if (!key.ok() && !may_be_written) return key.status();
  if (key.ok() && (key->info.st_mode & 077) == 0 && key->bytes.size() == kKeyBytes) {
    return std::move(key->bytes);
  }
  LogWarning(folder.PathOf(kName),
             " was open to others or damaged; a new key is made, old entries are dropped");
  (void)folder.Remove(kName);
  return absl::NotFoundError(folder.PathOf(kName));
}

}  // namespace

absl::StatusOr<SigningKey> LoadOrCreateNodeKey(const Folder& folder) {
  absl::StatusOr<SigningKey> found = LoadNodeKey(folder);
  if (!absl::IsNotFound(found.status())) return found;

  const SigningKey key = RandomBytes(kKeyBytes);
  // The key is written to a temporary file that is then linked to its name, so that no process
  // reads half a key, and the first of several processes wins.
  ACCELD_ASSIGN_OR_RETURN(const std::string temporary, folder.WriteTemporary(kName, {key}));
  const absl::Status linked = folder.Link(temporary, kName);
  (void)folder.Remove(temporary);
  if (!linked.ok() && !absl::IsAlreadyExists(linked)) return linked;
  return LoadNodeKey(folder);
}

}  // namespace acceld::cache
