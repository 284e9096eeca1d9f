#include "server/runtime/device_memory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace acceld::runtime {

bool DeviceMemory::MakeRoom(int64_t size_bytes, Victims victims, const Meter* owner) {
  bool waited = false;
  {
    MutexLock lock(mutex_);
    for (; busy_; waited = true) turn_.Wait(mutex_);
    busy_ = true;
  }
  const hal::MemoryStats memory = device_.memory();
  // What another thread has freed meanwhile may be enough.
  const bool freed = (waited && size_bytes <= memory.limit_bytes - memory.used_bytes) ||
                     MakeRoomAlone(size_bytes, victims, owner);
  MutexLock lock(mutex_);
  busy_ = false;
  turn_.NotifyOne();
  return freed;
}

bool DeviceMemory::MakeRoomAlone(int64_t size_bytes, Victims victims, const Meter* owner) {
  const hal::MemoryStats memory = device_.memory();
  // The device has refused, so something must go even if rounding hides what.
  int64_t missing = std::max<int64_t>(size_bytes - (memory.limit_bytes - memory.used_bytes), 1);
  int64_t unloaded = 0;
  if (victims == Victims::kIdle && options_.unload_executables) {
    unloaded = options_.unload_executables(missing);
    missing -= unloaded;
    if (missing <= 0) return true;
  }
  const MemoryShares shares = Shares();
  const ResidentArrays::Need need{
      .size_bytes = missing, .owner = owner, .is_right = shares.HasRightTo(owner, size_bytes)};
  return Spill(need, victims, shares) || unloaded > 0;
}

bool DeviceMemory::Spill(const ResidentArrays::Need& need, Victims victims,
                         const MemoryShares& shares) {
  if (options_.host == nullptr) return false;
  struct Copy {
    std::shared_ptr<Array> array;
    std::shared_ptr<HostMemory::Block> block;
    Event done;
  };
  std::vector<Copy> copies;
  for (auto& [array, cause, charged] : residents_->Find(victims, need, shares, *options_.host)) {
    auto block = options_.host->Allocate(array->type()->size_bytes(), charged, cause);
    if (!block.ok()) continue;
    std::shared_ptr<hal::Buffer> buffer = array->BeginSpill(victims);
    if (buffer == nullptr) continue;
    Event done = to_host_.CopyToHost(std::move(buffer), (*block)->data(), *block);
    copies.push_back({std::move(array), *std::move(block), std::move(done)});
  }
  bool freed = false;
  for (Copy& copy : copies) {
    if (!copy.done.Await().ok() || !copy.array->EndSpill(std::move(copy.block))) continue;
    spills_.Add();
    freed = true;
  }
  return freed;
}

absl::Status DeviceMemory::Explain(const absl::Status& refusal) const {
  const int64_t limit_bytes = options_.host == nullptr ? 0 : options_.host->limit_bytes();
  const int64_t used_bytes = options_.host == nullptr ? 0 : options_.host->used_bytes();
  return {refusal.code(),
          absl::StrCat(refusal.message(), " on device ", index_, ", ", residents_->idle_bytes(),
                       " of them by idle arrays; spilled arrays use ", used_bytes, " of ",
                       limit_bytes, " bytes of host memory")};
}

}  // namespace acceld::runtime
