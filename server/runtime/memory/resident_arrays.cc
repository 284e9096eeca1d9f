#include "server/runtime/memory/resident_arrays.h"

#include <algorithm>
#include <utility>

#include "common/ceil_divide.h"
#include "server/runtime/array.h"

namespace acceld::runtime {
namespace {

const Meter* OwnerOf(const Array& array) { return array.account().host_meter().get(); }

}  // namespace

void ResidentArrays::Add(Array& array) {
  MutexLock lock(mutex_);
  array.position_ = arrays_.insert(arrays_.end(), &array);
  bytes_by_owner_[OwnerOf(array)] += array.type()->size_bytes();
}

void ResidentArrays::Remove(Array& array) {
  MutexLock lock(mutex_);
  if (!array.position_.has_value()) return;
  arrays_.erase(*array.position_);
  array.position_.reset();
  const auto of_owner = bytes_by_owner_.find(OwnerOf(array));
  of_owner->second -= array.type()->size_bytes();
  if (of_owner->second == 0) bytes_by_owner_.erase(of_owner);
}

void ResidentArrays::Touch(const Array& array) {
  MutexLock lock(mutex_);
  if (array.position_.has_value()) arrays_.splice(arrays_.end(), arrays_, *array.position_);
}

std::vector<ResidentArrays::Victim> ResidentArrays::Find(Victims victims, const Need& need,
                                                         const MemoryShares& shares,
                                                         const HostMemory& host) {
  using Cause = HostMemory::Cause;
  MutexLock lock(mutex_);
  std::vector<Victim> found;
  int64_t found_bytes = 0, unreserved_bytes = 0;
  const int64_t room_bytes = host.room_bytes(Cause::kShareOfAnother);
  const int64_t unreserved_room_bytes = host.room_bytes(Cause::kAny);
  if (room_bytes < kMinBytes) return found;
  const auto inspect = [&](Array& array) {
    if (!array.MaySpill(victims)) return;
    const MemoryAccount& account = array.account();
    const bool is_anothers = OwnerOf(array) != need.owner;
    const bool for_a_right = need.is_right && is_anothers;
    if (is_anothers && !need.is_right && account.has_share() &&
        !shares.HasTooMuch(OwnerOf(array))) {
      return;
    }
    const Cause cause = for_a_right || !account.has_share() ? Cause::kShareOfAnother : Cause::kAny;
    const int64_t bytes = array.type()->size_bytes();
    if (bytes > room_bytes - found_bytes) return;
    if (cause == Cause::kAny && bytes > unreserved_room_bytes - unreserved_bytes) return;
    // If the owner of this array has no host memory left, arrays of other owners may still be
    // spilled.
    std::shared_ptr<Meter> owner = for_a_right ? nullptr : account.host_meter();
    if (owner != nullptr && bytes > owner->limit() - owner->used()) return;
    // No pointer means that the array is being destroyed, which frees its memory anyway.
    std::shared_ptr<Array> shared = array.weak_from_this().lock();
    if (shared == nullptr) return;
    found.push_back({std::move(shared), cause, std::move(owner)});
    found_bytes += bytes;
    if (cause == Cause::kAny) unreserved_bytes += bytes;
  };
  const auto has_too_much = [&](const Array& array) {
    return need.is_right && OwnerOf(array) != need.owner && shares.HasTooMuch(OwnerOf(array));
  };
  const auto is_enough = [&] {
    return found_bytes >= need.size_bytes || found.size() >= kMaxFound;
  };
  const size_t most = std::min(arrays_.size(), kMaxInspected);
  const bool latest_first = victims == Victims::kQueued && most == arrays_.size();
  std::vector<Array*> others;
  Position first = arrays_.begin(), last = arrays_.end();
  for (size_t i = 0; i < most && !is_enough(); ++i) {
    const Position position = latest_first ? --last : first++;
    if (need.is_right && !has_too_much(**position)) {
      others.push_back(*position);
    } else {
      inspect(**position);
    }
    // If not all arrays are inspected, move this one to the end, so that the next call inspects
    // others.
    if (most < arrays_.size()) arrays_.splice(arrays_.end(), arrays_, position);
  }
  for (auto other = others.begin(); other != others.end() && !is_enough(); ++other)
    inspect(**other);
  return found;
}

MemoryShares ResidentArrays::Shares(int64_t share_bytes) const {
  MutexLock lock(mutex_);
  return MemoryShares(share_bytes, bytes_by_owner_);
}

uint64_t ResidentArrays::searches_for_all() const {
  MutexLock lock(mutex_);
  return CeilDivide(arrays_.size(), kMaxInspected);
}

int64_t ResidentArrays::size_bytes() const {
  int64_t bytes = 0;
  MutexLock lock(mutex_);
  for (const auto& [owner, of_owner] : bytes_by_owner_) bytes += of_owner;
  return bytes;
}

}  // namespace acceld::runtime
