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

// The cache operations of administrators: verify, purge, and transfer entries to another site. Does
// not own the tiers. Thread-safe; every function may block on files or on Redis.
class Tools {
 public:
  // The result of verifying one tier.
  struct Check {
    std::string tier;
    uint64_t entries = 0, bytes = 0;
    uint64_t bad = 0;  // entries found invalid and removed or refused
  };
  // The number of entries removed from each tier.
  struct Removed {
    uint64_t memory = 0, disk = 0, remote = 0;
  };

  // The tiers must outlive this object; `disk` and `remote` may be nullptr. The first of `keys`
  // signs exported entries, and all of them verify imported ones; there may be none.
  Tools(MemoryTier& memory, DiskTier* disk, RemoteTier* remote, std::vector<SigningKey> keys)
      : memory_(memory), disk_(disk), remote_(remote), keys_(std::move(keys)) {}

  // Returns a page of the remote entries: see EntryStore::List. Errors: those of redis::Store, and
  // FAILED_PRECONDITION when there is no remote cache.
  absl::StatusOr<EntryStore::Page> ListRemote(absl::string_view from, size_t count);
  // Reads and verifies every entry on disk and, if `remote`, in the remote cache. The errors of
  // ListRemote.
  absl::StatusOr<std::vector<Check>> Verify(bool remote);
  // Removes these entries, or all when `keys` is empty, from memory, disk and, if `remote`, the
  // remote cache. Executions in progress are not affected. The errors of ListRemote.
  absl::StatusOr<Removed> Purge(absl::Span<const Digest> keys, bool remote);
  // Returns an entry of the disk tier in the format of EncodeBundleEntry. NOT_FOUND when it is
  // absent; FAILED_PRECONDITION without a key to sign with.
  absl::StatusOr<std::string> Export(const Digest& key);
  // Returns a reader for an entry of another site. FAILED_PRECONDITION without a key, or when there
  // is neither a disk nor a remote tier to keep the entry.
  absl::StatusOr<BundleReader> BeginImport() const;
  // Stores the entry on disk and sends it to the remote cache. Returns false when the disk tier had
  // it already. DATA_LOSS when the entry is incomplete or not valid.
  absl::StatusOr<bool> Import(BundleReader entry);
  // Replaces the keys for later exports, imports and accesses of the remote cache.
  void ReplaceKeys(std::vector<SigningKey> keys);

 private:
  // Returns the keys in use. FAILED_PRECONDITION when there are none.
  absl::StatusOr<std::vector<SigningKey>> Keys() const;

  MemoryTier& memory_;
  DiskTier* const disk_;
  RemoteTier* const remote_;
  KeyRing keys_;
};

}  // namespace acceld::cache
