#include "server/runtime/memory/device_memory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace acceld::runtime {
namespace {

// The most bytes spilled in one batch, unless a single array has more.
constexpr int64_t kMostAtOnce = int64_t{64} << 20;
// The most batches in a row that free nothing, for one need and each kind of victims. A batch frees
// nothing if its copies fail, or if its arrays are in use again when these end.
constexpr uint64_t kMostInVain = 64;

size_t IndexOf(DeviceMemory::Victims victims) {
  return victims == DeviceMemory::Victims::kQueued ? 1 : 0;
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  MutexLock lock(mutex_);
  while (batches_ > 0) batch_ended_.Wait(mutex_);
}

bool DeviceMemory::SpillsHelp(Victims victims, Search& search) const {
  const uint64_t batches = batches_ended_.value(), spills = spills_.value();
  if (spills != search.spills) {
    search.spills = spills;
    search.batches = batches;
  }
  // A need that tries queued victims has tried idle ones before.
  return batches - search.batches < (IndexOf(victims) + 1) * kMostInVain;
}

DeviceMemory::Room DeviceMemory::MakeRoom(int64_t size_bytes, Victims victims, const Meter* owner,
                                          Search& search) {
  const bool may_spill = SpillsHelp(victims, search);
  if (is_spilling_.exchange(true)) return Room::kInProgress;
  const hal::MemoryStats memory = device_.memory();
  // The device has refused the allocation, so something must be freed even if the sum suggests
  // otherwise because of rounding.
  int64_t missing = std::max<int64_t>(size_bytes - (memory.limit_bytes - memory.used_bytes), 1);
  int64_t unloaded = 0;
  if (victims == Victims::kIdle && options_.unload_executables) {
    unloaded = options_.unload_executables(missing);
    missing -= unloaded;
  }
  if (missing > 0 && may_spill) {
    const MemoryShares shares = Shares();
    const ResidentArrays::Need need{.size_bytes = std::min(missing, kMostAtOnce),
                                    .owner = owner,
                                    .is_right = shares.HasRightTo(owner, size_bytes)};
    if (BeginSpill(need, victims, shares)) {
      search.failed_searches = {};
      return Room::kInProgress;
    }
  }
  is_spilling_.store(false);
  if (unloaded > 0) return Room::kFreed;
  return may_spill && ++search.failed_searches[IndexOf(victims)] < residents_->searches_for_all()
             ? Room::kContinue
             : Room::kNone;
}

struct DeviceMemory::Batch {
  struct Copy {
    std::shared_ptr<Array> array;
    std::shared_ptr<HostMemory::Block> block;
    Event done;
  };
  std::vector<Copy> copies;
  std::atomic<size_t> missing{0};
};

bool DeviceMemory::BeginSpill(const ResidentArrays::Need& need, Victims victims,
                              const MemoryShares& shares) {
  if (options_.host == nullptr) return false;
  // Shared by the callbacks of the copies.
  const auto batch = std::make_shared<Batch>();
  for (auto& [array, cause, charged] : residents_->Find(victims, need, shares, *options_.host)) {
    auto block = options_.host->Allocate(array->type()->size_bytes(), charged, cause);
    if (!block.ok()) continue;
    std::shared_ptr<hal::Buffer> buffer = array->BeginSpill(victims);
    if (buffer == nullptr) continue;
    Event done = to_host_.CopyToHost(std::move(buffer), (*block)->data(), *block);
    batch->copies.push_back({std::move(array), *std::move(block), std::move(done)});
  }
  if (batch->copies.empty()) return false;
  batch->missing.store(batch->copies.size());
  {
    MutexLock lock(mutex_);
    ++batches_;
  }
  for (size_t i = 0, count = batch->copies.size(); i < count; ++i) {
    // The callback that comes last ends the batch, maybe before this loop ends.
    const Event done = batch->copies[i].done;
    done.OnReady([this, batch](const absl::StatusOr<Unit>&) {
      if (batch->missing.fetch_sub(1) == 1) EndSpill(*batch);
    });
  }
  return true;
}

void DeviceMemory::EndSpill(Batch& batch) {
  for (Batch::Copy& copy : batch.copies) {
    if (!copy.done.Await().ok()) {
      copy.array->AbandonSpill();
    } else if (copy.array->EndSpill(std::move(copy.block))) {
      spills_.Add();
    }
  }
  batch.copies.clear();
  batches_ended_.Add();
  is_spilling_.store(false);
  if (options_.on_spilled) options_.on_spilled();
  MutexLock lock(mutex_);
  --batches_;
  batch_ended_.NotifyAll();
}

absl::Status DeviceMemory::Explain(const absl::Status& refusal) const {
  const int64_t limit_bytes = options_.host == nullptr ? 0 : options_.host->limit_bytes();
  const int64_t used_bytes = options_.host == nullptr ? 0 : options_.host->used_bytes();
  return {refusal.code(),
          absl::StrCat(refusal.message(), " on device ", index_, ", ", residents_->size_bytes(),
                       " of them by arrays; spilled arrays use ", used_bytes, " of ", limit_bytes,
                       " bytes of host memory")};
}

}  // namespace acceld::runtime
