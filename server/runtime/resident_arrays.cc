#include "server/runtime/resident_arrays.h"

#include <utility>

#include "server/runtime/array.h"

namespace acceld::runtime {
namespace {

const Meter* OwnerOf(const Array& array) { return array.account().host_meter().get(); }

}  // namespace

void ResidentArrays::Add(Array& array) {
  MutexLock lock(mutex_);
  array.position_ = arrays_.insert(arrays_.end(), &array);
}

void ResidentArrays::Remove(Array& array) {
  MutexLock lock(mutex_);
  if (!array.position_.has_value()) return;
  arrays_.erase(*array.position_);
  array.position_.reset();
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
  const auto look = [&](Array& array) {
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
    // Others may have arrays that can go when this one's owner has no room on the host.
    std::shared_ptr<Meter> owner = for_a_right ? nullptr : account.host_meter();
    if (owner != nullptr && bytes > owner->limit() - owner->used()) return;
    // None when the array is being destroyed: its memory comes back without us.
    std::shared_ptr<Array> shared = array.weak_from_this().lock();
    if (shared == nullptr) return;
    found.push_back({std::move(shared), cause, std::move(owner)});
    found_bytes += bytes;
    if (cause == Cause::kAny) unreserved_bytes += bytes;
  };
  const auto has_too_much = [&](const Array& array) {
    return need.is_right && OwnerOf(array) != need.owner && shares.HasTooMuch(OwnerOf(array));
  };
  for (const bool of_those_with_too_much : {true, false}) {
    const auto look_in = [&](auto begin, auto end) {
      for (auto it = begin; it != end && found_bytes < need.size_bytes; ++it) {
        if (has_too_much(**it) == of_those_with_too_much) look(**it);
      }
    };
    if (victims == Victims::kIdle) {
      look_in(arrays_.begin(), arrays_.end());
    } else {
      look_in(arrays_.rbegin(), arrays_.rend());
    }
  }
  return found;
}

MemoryShares ResidentArrays::Shares(int64_t share_bytes) const {
  MemoryShares shares(share_bytes);
  MutexLock lock(mutex_);
  for (const Array* array : arrays_) shares.Count(OwnerOf(*array), array->type()->size_bytes());
  return shares;
}

int64_t ResidentArrays::idle_bytes() const {
  int64_t bytes = 0;
  MutexLock lock(mutex_);
  for (const Array* array : arrays_) {
    if (array->MaySpill(Victims::kIdle)) bytes += array->type()->size_bytes();
  }
  return bytes;
}

}  // namespace acceld::runtime
