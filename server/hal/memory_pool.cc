#include "server/hal/memory_pool.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "common/check.h"

namespace acceld::hal {
namespace {

int64_t PageBytes() {
  static const int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

int64_t Multiple(int64_t bytes, int64_t unit) { return RoundUp(bytes, unit); }

}  // namespace

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
  const std::shared_ptr<MemoryPool> pool_;  // shared, so that the block can be returned to it
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
    : source_(std::move(source)),
      pages_(source_->pages()),
      limit_bytes_(limit_bytes),
      max_kept_bytes_(max_kept_bytes),
      kept_ranges_(PageBytes()) {}

MemoryPool::~MemoryPool() { ReleaseKept(); }

bool MemoryPool::IsRange(int64_t capacity_bytes) const {
  return pages_ != nullptr && capacity_bytes >= pages_->min_range_bytes();
}

int64_t MemoryPool::RoundUp(int64_t size_bytes) const {
  const int64_t unit = IsRange(size_bytes) ? PageBytes() : source_->alignment_bytes();
  return std::max(Multiple(size_bytes, unit), unit);
}

// There are eight size classes to each power of two, so rounding wastes at most an eighth.
int64_t MemoryPool::ClassCapacity(int64_t size_bytes) const {
  const int64_t size = RoundUp(size_bytes);
  const int64_t power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(size)));
  const int64_t step = std::max(power / 8, source_->alignment_bytes());
  return Multiple(size, step);
}

int64_t MemoryPool::KeptBytes() const {
  return kept_blocks_.size_bytes() + kept_ranges_.size_bytes();
}

MemoryPool::ReleasedMemory MemoryPool::TrimKept(int64_t target_bytes) {
  ReleasedMemory released;
  kept_ranges_.Shrink(std::max<int64_t>(target_bytes - kept_blocks_.size_bytes(), 0),
                      released.ranges);
  kept_blocks_.Shrink(target_bytes - kept_ranges_.size_bytes(), released.blocks);
  return released;
}

void MemoryPool::FreeAll(const ReleasedMemory& released) {
  for (void* const block : released.blocks) source_->Free(block);
  for (const MemoryRange& range : released.ranges) pages_->FreePages(range);
}

absl::StatusOr<std::shared_ptr<Buffer>> MemoryPool::Allocate(int64_t size_bytes) {
  if (size_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat("allocation of ", size_bytes, " bytes"));
  }
  void* address = nullptr;
  int64_t capacity = 0;
  ReleasedMemory released;
  {
    MutexLock lock(mutex_);
    const int64_t available = limit_bytes_ - used_bytes_;
    // A request must not be refused only because it is rounded up to its size class.
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
    address = IsRange(capacity) ? kept_ranges_.Take(capacity) : kept_blocks_.Take(capacity);
    if (address == nullptr) released = TrimKept(limit_bytes_ - used_bytes_);
  }
  FreeAll(released);
  if (address == nullptr) {
    absl::StatusOr<void*> fresh = source_->Allocate(capacity);
    if (!fresh.ok()) {
      ReleaseKept();
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
  ReleasedMemory released;
  {
    MutexLock lock(mutex_);
    used_bytes_ -= capacity_bytes;
    ACCELD_CHECK(used_bytes_ >= 0);
    if (IsRange(capacity_bytes)) {
      kept_ranges_.Put({address, capacity_bytes});
    } else {
      kept_blocks_.Put(address, capacity_bytes);
    }
    released = TrimKept(std::min(max_kept_bytes_, limit_bytes_ - used_bytes_));
  }
  FreeAll(released);
}

absl::Status MemoryPool::Prepare(int64_t size_bytes) {
  if (!IsRange(size_bytes)) return absl::UnimplementedError("no pages");
  const auto fits = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return size_bytes <= max_kept_bytes_ - KeptBytes() &&
           size_bytes <= limit_bytes_ - used_bytes_ - KeptBytes();
  };
  const auto full = [] { return absl::ResourceExhaustedError("no room for pages in advance"); };
  {
    MutexLock lock(mutex_);
    if (!fits()) return full();
  }
  ACCELD_ASSIGN_OR_RETURN(void* const address, source_->Allocate(size_bytes));
  const MemoryRange range{address, size_bytes};
  pages_->FillPages(range);
  {
    MutexLock lock(mutex_);
    if (fits()) {
      kept_ranges_.Put(range);
      return absl::OkStatus();
    }
  }
  pages_->FreePages(range);
  return full();
}

void MemoryPool::ReleaseKept() {
  ReleasedMemory released;
  {
    MutexLock lock(mutex_);
    released = TrimKept(0);
  }
  FreeAll(released);
}

void MemoryPool::ReleaseUnused() {
  ReleasedMemory released;
  {
    MutexLock lock(mutex_);
    kept_blocks_.TakeUnused(released.blocks);
    kept_ranges_.TakeUnused(released.ranges);
  }
  FreeAll(released);
}

MemoryStats MemoryPool::stats() const {
  MutexLock lock(mutex_);
  return {.limit_bytes = limit_bytes_, .used_bytes = used_bytes_, .peak_bytes = peak_bytes_};
}

int64_t MemoryPool::kept_bytes() const {
  MutexLock lock(mutex_);
  return KeptBytes();
}

}  // namespace acceld::hal
