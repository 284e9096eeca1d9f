#pragma once

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "server/runtime/memory/meter.h"

namespace acceld::runtime {

// What each owner of arrays holds of a device's memory at one moment, and who has a right to more:
// an owner may have its share whatever others hold, and what is beyond that as long as nobody else
// claims it. Owners are those of MemoryAccount::host_meter; nullptr is nobody and has no right.
class MemoryShares {
 public:
  MemoryShares(int64_t share_bytes, absl::flat_hash_map<const Meter*, int64_t> held_bytes)
      : share_bytes_(share_bytes), held_bytes_(std::move(held_bytes)) {}

  int64_t share_bytes() const { return share_bytes_; }
  // Whether the owner has no more than its share with `size_bytes` more.
  bool HasRightTo(const Meter* owner, int64_t size_bytes) const {
    return owner != nullptr && !HasTooMuch(owner, size_bytes);
  }
  // Whether the owner, with `size_bytes` that were not counted, has more than its share.
  bool HasTooMuch(const Meter* owner, int64_t size_bytes = 0) const {
    const auto held = held_bytes_.find(owner);
    const int64_t held_bytes = held == held_bytes_.end() ? 0 : held->second;
    return size_bytes > share_bytes_ - held_bytes;
  }

 private:
  const int64_t share_bytes_;
  const absl::flat_hash_map<const Meter*, int64_t> held_bytes_;
};

}  // namespace acceld::runtime
