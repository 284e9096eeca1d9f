#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/cache/entry.h"

// The secrets that the daemons of a team share. To replace one, put the new one after it in every
// daemon's file, then before it, and take the old one out when no entry signed with it matters any
// more: a daemon that lacks a key refuses and removes what others sign with it.
namespace acceld::cache {

// Shorter ones could be guessed.
inline constexpr size_t kMinTeamKeyBytes = 32;

// The keys of a file: one a line, any characters; empty lines and those that begin with # do not
// count. INVALID_ARGUMENT for none, or one that is too short (never with the key);
// FAILED_PRECONDITION when others than the owner's group could read or anybody else write it; else
// the system's errors. Reads a file.
absl::StatusOr<std::vector<std::string>> LoadTeamKeys(const std::string& path);

// What signs entries: each team key for this `salt` only, so that another salt disowns all entries.
std::vector<SigningKey> DeriveSigningKeys(absl::Span<const std::string> team_keys,
                                          absl::string_view salt);

// The keys in use, of which the first signs. Thread-safe: others may take their place at any time.
class KeyRing {
 public:
  explicit KeyRing(std::vector<SigningKey> keys) : keys_(std::move(keys)) {}

  // A copy: who works with it sees the same keys to its end.
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
