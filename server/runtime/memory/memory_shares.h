#pragma once

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "server/runtime/memory/meter.h"

namespace acceld::runtime {

// How much memory of a device each owner of arrays holds at one moment, and who has a right to
// more. An owner may have its share whatever others hold, and more as long as nobody else claims
// it. Owners are identified by MemoryAccount::host_meter; nullptr stands for no owner, without any
// right.
class MemoryShares {
 public:
  MemoryShares(int64_t share_bytes, absl::flat_hash_map<const Meter*, int64_t> held_bytes)
      : share_bytes_(share_bytes), held_bytes_(std::move(held_bytes)) {}

  int64_t share_bytes() const { return share_bytes_; }
  // Returns whether the owner would have at most its share with `size_bytes` more.
  bool HasRightTo(const Meter* owner, int64_t size_bytes) const {
    return owner != nullptr && !HasTooMuch(owner, size_bytes);
  }
  // Returns whether the owner would have more than its share with `size_bytes` more.
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
