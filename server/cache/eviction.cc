#include "server/cache/eviction.h"

#include <algorithm>
#include <utility>

namespace acceld::cache {

std::vector<Digest> ChooseEvicted(std::vector<Evictable> candidates, BytesByOwner bytes_by_owner,
                                  int64_t excess_bytes, const TierLimits& limits) {
  std::sort(candidates.begin(), candidates.end(), [](const Evictable& a, const Evictable& b) {
    return std::pair(a.last_use, a.key) < std::pair(b.last_use, b.key);
  });
  const int64_t slack_bytes = limits.limit_bytes / 16;
  std::vector<Digest> chosen;
  int64_t chosen_bytes = 0;
  const auto is_wanted = [&](const Evictable& entry) {
    return chosen_bytes < excess_bytes ||
           chosen_bytes + entry.size_bytes <= excess_bytes + slack_bytes;
  };
  const auto choose = [&](const Evictable& entry) {
    chosen.push_back(entry.key);
    chosen_bytes += entry.size_bytes;
  };

  BytesByOwner above_share;  // how many bytes each of these owners may lose
  for (const auto& [owner, bytes] : bytes_by_owner) {
    if (!owner.empty() && bytes > limits.share_bytes) {
      above_share[owner] = bytes - std::max<int64_t>(limits.share_bytes - slack_bytes, 0);
    }
  }
  std::vector<const Evictable*> others;
  for (const Evictable& entry : candidates) {
    const auto above = above_share.find(entry.owner);
    if (above == above_share.end() || above->second <= 0 || !is_wanted(entry)) {
      others.push_back(&entry);
    } else {
      choose(entry);
      above->second -= entry.size_bytes;
    }
  }
  if (chosen_bytes >= excess_bytes) return chosen;
  for (const Evictable* const entry : others) {
    if (is_wanted(*entry)) choose(*entry);
  }
  return chosen;
}

}  // namespace acceld::cache
