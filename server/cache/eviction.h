#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/crypto/digest.h"
#include "common/percent.h"

namespace acceld::cache {

// What is removed from a cache tier that is full. Entries serve everybody, but each counts for the
// identity that asked for it first, its owner: who has many programs compiled loses his own first,
// not those of others.

// How much a tier holds, and one owner of it before others' entries stay in his stead. Bytes.
struct TierLimits {
  TierLimits(int64_t limit_bytes, int share_percent)
      : limit_bytes(limit_bytes), share_bytes(PercentOf(limit_bytes, share_percent)) {}

  int64_t limit_bytes, share_bytes;
};

// An entry that may be removed.
struct Evictable {
  Digest key;
  std::string owner;  // empty: nobody, or somebody without a share
  int64_t last_use = 0, size_bytes = 0;
};

// What owners have in a tier, those included that may not be removed.
using BytesByOwner = absl::flat_hash_map<std::string, int64_t>;

// The entries to remove so that a tier has `excess_bytes` less: least recently used first, of
// owners with more than a share, and when that is not enough, of all. Where entries are small
// beside the tier, up to a sixteenth of it goes besides, so that a full tier need not be gone
// through for each new entry.
std::vector<Digest> ChooseEvicted(std::vector<Evictable> candidates, BytesByOwner bytes_by_owner,
                                  int64_t excess_bytes, const TierLimits& limits);

}  // namespace acceld::cache
