#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/cache/entry.h"

// The secrets shared by the daemons of a team (the daemons that share one remote cache). To replace
// a secret, first add the new one after the old one in every daemon's file, then move it before the
// old one, and remove the old one when no entry signed with it is needed any more. A daemon that
// lacks a key refuses and removes the entries signed with it.
namespace acceld::cache {

// Shorter keys could be guessed.
inline constexpr size_t kMinTeamKeyBytes = 32;

// Reads the keys of a file: one a line, of any characters; empty lines and lines that begin with #
// are ignored. INVALID_ARGUMENT when there is no key or one is too short (the message never
// contains the key); FAILED_PRECONDITION when users other than the owner and its group may read the
// file, or anybody but the owner may write it; otherwise the system's errors. Reads a file.
absl::StatusOr<std::vector<std::string>> LoadTeamKeys(const std::string& path);

// Derives the signing keys of entries from the team's keys and `salt`. Changing the salt
// invalidates all entries.
std::vector<SigningKey> DeriveSigningKeys(absl::Span<const std::string> team_keys,
                                          absl::string_view salt);

// The keys in use; the first one signs. Thread-safe: the keys may be replaced at any time.
class KeyRing {
 public:
  explicit KeyRing(std::vector<SigningKey> keys) : keys_(std::move(keys)) {}

  // Returns a copy, so that a caller works with the same keys from beginning to end.
  std::vector<SigningKey> keys() const {
    MutexLock lock(mutex_);
    return keys_;
  }
  void Replace(std::vector<SigningKey> keys) {
    MutexLock lock(mutex_);
    keys_ = std::move(keys);
  }

 private:
  mutable Mutex mutex_;
  std::vector<SigningKey> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::cache
