#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/digest.h"
#include "common/status.h"
#include "server/cache/bundle.h"
#include "server/cache/disk_tier.h"
#include "server/cache/memory_tier.h"
#include "server/cache/remote/keys.h"
#include "server/cache/remote/remote_tier.h"

namespace acceld::cache {

// What administrators do with a cache: check it, clear it, carry entries to another. Thread-safe;
// everything here reads and writes files or waits for Redis.
class Tools {
 public:
  struct Check {
    std::string tier;
    uint64_t entries = 0, bytes = 0;
    uint64_t bad = 0;  // removed, or refused
  };
  struct Removed {
    uint64_t memory = 0, disk = 0, remote = 0;
  };

  // The tiers outlive the tools; `disk` and `remote` may be nullptr. `keys` sign what is carried
  // away (the first) and verify what is brought; they may be none.
  Tools(MemoryTier& memory, DiskTier* disk, RemoteTier* remote, std::vector<SigningKey> keys)
      : memory_(memory), disk_(disk), remote_(remote), keys_(std::move(keys)) {}

  // A part of the remote entries; see EntryStore. The errors of Redis; FAILED_PRECONDITION when
  // there is no remote cache.
  absl::StatusOr<EntryStore::Page> ListRemote(absl::string_view from, size_t count);
  // Reads and verifies every entry on disk and, where wanted, the remote ones. Errors as above.
  absl::StatusOr<std::vector<Check>> Verify(bool remote);
  // Removes these entries, or all where none are named; what runs goes on. Errors as above.
  absl::StatusOr<Removed> Purge(absl::Span<const Digest> keys, bool remote);
  // The entry of that key, from disk. NOT_FOUND; FAILED_PRECONDITION without a key to sign with.
  // As EncodeBundleEntry gives it.
  absl::StatusOr<std::string> Export(const Digest& key);
  // What takes in the bytes of an entry of another site. FAILED_PRECONDITION without a key, or
  // anywhere to keep it.
  absl::StatusOr<BundleReader> BeginImport() const;
  // Keeps the entry, and sends it on to the team's; false: it was here already. DATA_LOSS for what
  // is not whole.
  absl::StatusOr<bool> Import(BundleReader entry);
  // For what is carried from now on, and what the remote tier asks Redis for.
  void ReplaceKeys(std::vector<SigningKey> keys);

 private:
  // FAILED_PRECONDITION when there are none.
  absl::StatusOr<std::vector<SigningKey>> Keys() const;

  MemoryTier& memory_;
  DiskTier* const disk_;
  RemoteTier* const remote_;
  KeyRing keys_;
};

}  // namespace acceld::cache
