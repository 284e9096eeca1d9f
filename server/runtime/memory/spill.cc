#include <utility>

#include "common/check.h"
#include "server/runtime/array.h"

// How an array is spilled to the host and restored.
namespace acceld::runtime {

void Array::Join(std::shared_ptr<ResidentArrays> residents) {
  if (type_->size_bytes() < ResidentArrays::kMinBytes) return;
  residents_ = std::move(residents);
  residents_->Add(*this);
}

void Array::Touch() const {
  if (residents_ != nullptr) residents_->Touch(*this);
}

bool Array::MaySpillLocked(ResidentArrays::Victims victims) const {
  if (state_ != State::kDefined || spilled_ != nullptr || buffer_ == nullptr) return false;
  // Work in flight holds the buffer, too, and can get it only with this mutex.
  if (buffer_.use_count() > 1) return false;
  return victims == ResidentArrays::Victims::kQueued ||
         readers_.load(std::memory_order_relaxed) == 0;
}

bool Array::MaySpill(ResidentArrays::Victims victims) const {
  MutexLock lock(mutex_);
  return MaySpillLocked(victims);
}

std::shared_ptr<hal::Buffer> Array::BeginSpill(ResidentArrays::Victims victims) {
  MutexLock lock(mutex_);
  if (!MaySpillLocked(victims)) return nullptr;
  is_spilling_ = true;
  return buffer_;
}

void Array::AbandonSpill() {
  MutexLock lock(mutex_);
  is_spilling_ = false;
}

bool Array::EndSpill(std::shared_ptr<HostMemory::Block> block) {
  // Removed first, as a thread that restores the array adds it again.
  residents_->Remove(*this);
  std::shared_ptr<hal::Buffer> dropped;
  int64_t refund = 0;
  {
    MutexLock lock(mutex_);
    is_spilling_ = false;
    if (MaySpillLocked(ResidentArrays::Victims::kQueued)) {
      spilled_ = std::move(block);
      dropped.swap(buffer_);
      std::swap(refund, charged_bytes_);
    }
  }
  if (dropped == nullptr) {
    residents_->Add(*this);
    return false;
  }
  account_->Refund(refund);
  return true;
}

void Array::Restore(std::shared_ptr<hal::Buffer> buffer, const Event& arrival) {
  const int64_t size_bytes = buffer->size_bytes();
  account_->ChargeAgain(size_bytes);
  {
    MutexLock lock(mutex_);
    ACCELD_CHECK(state_ == State::kDefined && buffer_ == nullptr && spilled_ != nullptr);
    buffer_ = std::move(buffer);
    charged_bytes_ = size_bytes;
    arrival_ = arrival;
  }
  residents_->Add(*this);
  arrival.OnReady([self = shared_from_this()](const absl::StatusOr<Unit>& arrived) {
    self->EndRestore(arrived.ok());
  });
}

void Array::EndRestore(bool arrived) {
  std::shared_ptr<HostMemory::Block> block;
  std::shared_ptr<hal::Buffer> dropped;
  int64_t refund = 0;
  if (!arrived) residents_->Remove(*this);
  {
    MutexLock lock(mutex_);
    arrival_ = Event();
    if (arrived) {
      block.swap(spilled_);
    } else {
      dropped.swap(buffer_);
      std::swap(refund, charged_bytes_);
    }
  }
  account_->Refund(refund);
}

}  // namespace acceld::runtime
