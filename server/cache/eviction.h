#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/crypto/digest.h"
#include "common/percent.h"

namespace acceld::cache {

// The policy by which a full cache tier removes entries. Entries serve everybody, but each counts
// for its owner, the identity that asked for it first: an identity that has many programs compiled
// loses its own entries before those of others.

// The size of a tier, and the part of it that one owner may fill before its own entries are evicted
// ahead of others'. In bytes.
struct TierLimits {
  TierLimits(int64_t limit_bytes, int share_percent)
      : limit_bytes(limit_bytes), share_bytes(PercentOf(limit_bytes, share_percent)) {}

  int64_t limit_bytes, share_bytes;
};

// An entry that may be removed.
struct Evictable {
  Digest key;
  std::string owner;  // empty: no owner, or an owner without a share
  int64_t last_use = 0, size_bytes = 0;
};

// The bytes of each owner in a tier, including entries that must not be removed.
using BytesByOwner = absl::flat_hash_map<std::string, int64_t>;

// Chooses the entries to remove so that a tier shrinks by `excess_bytes`: the least recently used
// first, of owners that hold more than their share, and if that is not enough, of all owners. Where
// entries are small beside the tier, up to a sixteenth of it is removed in addition, so that a full
// tier need not be searched for each new entry.
std::vector<Digest> ChooseEvicted(std::vector<Evictable> candidates, BytesByOwner bytes_by_owner,
                                  int64_t excess_bytes, const TierLimits& limits);

}  // namespace acceld::cache
