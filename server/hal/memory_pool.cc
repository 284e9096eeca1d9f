#include "server/hal/memory_pool.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::hal {

class MemoryPool::Block final : public Buffer {
 public:
  Block(std::shared_ptr<MemoryPool> pool, void* address, int64_t size_bytes, int64_t capacity_bytes)
      : pool_(std::move(pool)),
        address_(address),
        size_bytes_(size_bytes),
        capacity_bytes_(capacity_bytes) {}
  ~Block() override { pool_->Return(address_, capacity_bytes_); }

  int64_t size_bytes() const override { return size_bytes_; }
  void* address() const override { return address_; }
  void* host_address() const override {
    return pool_->source_->is_host_memory() ? address_ : nullptr;
  }
  absl::Status Read(void* to) const override {
    return pool_->source_->Read(address_, to, size_bytes_);
  }

 private:
  const std::shared_ptr<MemoryPool> pool_;  // Every block keeps the pool it goes back to.
  void* const address_;
  const int64_t size_bytes_;
  const int64_t capacity_bytes_;
};

std::shared_ptr<MemoryPool> MemoryPool::Create(std::unique_ptr<BlockSource> source,
                                               int64_t limit_bytes, int64_t max_kept_bytes) {
  return std::shared_ptr<MemoryPool>(
      new MemoryPool(std::move(source), limit_bytes, max_kept_bytes));
}

MemoryPool::MemoryPool(std::unique_ptr<BlockSource> source, int64_t limit_bytes,
                       int64_t max_kept_bytes)
    : source_(std::move(source)), limit_bytes_(limit_bytes), max_kept_bytes_(max_kept_bytes) {}

MemoryPool::~MemoryPool() {
  for (auto& [capacity, size_class] : classes_) FreeAll(size_class.free_blocks);
}

int64_t MemoryPool::RoundUp(int64_t size_bytes) const {
  const int64_t alignment = source_->alignment_bytes();
  return std::max((size_bytes + alignment - 1) / alignment * alignment, alignment);
}

// Eight classes to each power of two: at most an eighth is lost to rounding.
int64_t MemoryPool::ClassCapacity(int64_t size_bytes) const {
  const int64_t size = RoundUp(size_bytes);
  const int64_t power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(size)));
  const int64_t step = std::max(power / 8, source_->alignment_bytes());
  return (size + step - 1) / step * step;
}

void MemoryPool::FreeAll(const std::vector<void*>& blocks) {
  for (void* block : blocks) source_->Free(block);
}

absl::StatusOr<std::shared_ptr<Buffer>> MemoryPool::Allocate(int64_t size_bytes) {
  if (size_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat("allocation of ", size_bytes, " bytes"));
  }
  void* address = nullptr;
  int64_t capacity = 0;
  std::vector<void*> given_up;
  {
    MutexLock lock(mutex_);
    const int64_t available = limit_bytes_ - used_bytes_;
    // The rounding must not refuse what would fit without it.
    if (size_bytes <= available) {
      capacity = ClassCapacity(size_bytes);
      if (capacity > available) capacity = RoundUp(size_bytes);
    }
    if (size_bytes > available || capacity > available) {
      return absl::ResourceExhaustedError(absl::StrCat("device memory: ", size_bytes,
                                                       " bytes do not fit, ", used_bytes_, " of ",
                                                       limit_bytes_, " are in use"));
    }
    used_bytes_ += capacity;
    peak_bytes_ = std::max(peak_bytes_, used_bytes_);
    if (auto it = classes_.find(capacity); it != classes_.end()) {
      it->second.last_use = ++clock_;
      if (!it->second.free_blocks.empty()) {
        address = it->second.free_blocks.back();
        it->second.free_blocks.pop_back();
        kept_bytes_ -= capacity;
      }
    }
    if (address == nullptr && used_bytes_ + kept_bytes_ > limit_bytes_) {
      TakeKept(limit_bytes_ - used_bytes_, given_up);
    }
  }
  FreeAll(given_up);
  if (address == nullptr) {
    absl::StatusOr<void*> fresh = source_->Allocate(capacity);
    if (!fresh.ok()) {
      GiveUpKept();
      fresh = source_->Allocate(capacity);
    }
    if (!fresh.ok()) {
      MutexLock lock(mutex_);
      used_bytes_ -= capacity;
      return Annotate(fresh.status(),
                      absl::StrCat("device memory: the system refuses ", size_bytes, " bytes, ",
                                   used_bytes_, " of ", limit_bytes_, " are in use"));
    }
    address = *fresh;
  }
  return std::make_shared<Block>(shared_from_this(), address, size_bytes, capacity);
}

void MemoryPool::Return(void* address, int64_t capacity_bytes) {
  std::vector<void*> given_up;
  {
    MutexLock lock(mutex_);
    used_bytes_ -= capacity_bytes;
    ACCELD_CHECK(used_bytes_ >= 0);
    const int64_t max_kept = std::min(max_kept_bytes_, limit_bytes_ - used_bytes_);
    if (capacity_bytes <= max_kept) {
      SizeClass& size_class = classes_[capacity_bytes];
      size_class.last_use = ++clock_;
      size_class.free_blocks.push_back(address);
      kept_bytes_ += capacity_bytes;
      if (kept_bytes_ > max_kept) TakeKept(max_kept, given_up);
    } else {
      given_up.push_back(address);
    }
  }
  FreeAll(given_up);
}

void MemoryPool::TakeKept(int64_t target_bytes, std::vector<void*>& out) {
  while (kept_bytes_ > target_bytes) {
    auto oldest = classes_.end();
    for (auto it = classes_.begin(); it != classes_.end(); ++it) {
      if (it->second.free_blocks.empty()) continue;
      if (oldest == classes_.end() || it->second.last_use < oldest->second.last_use) oldest = it;
    }
    ACCELD_CHECK(oldest != classes_.end());
    std::vector<void*>& blocks = oldest->second.free_blocks;
    while (kept_bytes_ > target_bytes && !blocks.empty()) {
      out.push_back(blocks.back());
      blocks.pop_back();
      kept_bytes_ -= oldest->first;
    }
    if (blocks.empty()) classes_.erase(oldest);
  }
}

void MemoryPool::GiveUpKept() {
  std::vector<void*> given_up;
  {
    MutexLock lock(mutex_);
    TakeKept(0, given_up);
  }
  FreeAll(given_up);
}

void MemoryPool::ReleaseUnused() {
  std::vector<void*> given_up;
  {
    MutexLock lock(mutex_);
    for (auto& [capacity, size_class] : classes_) {
      if (size_class.last_use > released_at_) continue;
      std::vector<void*>& blocks = size_class.free_blocks;
      kept_bytes_ -= capacity * static_cast<int64_t>(blocks.size());
      given_up.insert(given_up.end(), blocks.begin(), blocks.end());
      blocks.clear();
    }
    released_at_ = clock_;
  }
  FreeAll(given_up);
}

MemoryStats MemoryPool::stats() const {
  MutexLock lock(mutex_);
  return {.limit_bytes = limit_bytes_, .used_bytes = used_bytes_, .peak_bytes = peak_bytes_};
}

int64_t MemoryPool::kept_bytes() const {
  MutexLock lock(mutex_);
  return kept_bytes_;
}

}  // namespace acceld::hal
