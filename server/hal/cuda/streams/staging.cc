#include "server/hal/cuda/streams/staging.h"

#include <algorithm>
#include <cstring>

#include "common/ceil_divide.h"

namespace acceld::hal::cuda {
namespace {

constexpr unsigned int kPlainEvent = 1 | 2;  // CU_EVENT_BLOCKING_SYNC, CU_EVENT_DISABLE_TIMING

}  // namespace

Staging::~Staging() {
  context_->EnterForRelease();
  for (const Slot& slot : slots_) {
    if (slot.idle != nullptr) context_->driver().cuEventDestroy_v2(slot.idle);
    if (slot.memory != nullptr) context_->driver().cuMemFreeHost(slot.memory);
  }
}

absl::Status Staging::Open() {
  const Driver& driver = context_->driver();
  for (Slot& slot : slots_) {
    if (slot.memory == nullptr) {
      void* memory = nullptr;
      ACCELD_RETURN_IF_ERROR(
          context_->Check(driver.cuMemHostAlloc(&memory, kSlotBytes, 0), "cuMemHostAlloc"));
      slot.memory = static_cast<char*>(memory);
    }
    if (slot.idle == nullptr) {
      ACCELD_RETURN_IF_ERROR(
          context_->Check(driver.cuEventCreate(&slot.idle, kPlainEvent), "cuEventCreate"));
    }
  }
  return absl::OkStatus();
}

absl::Status Staging::AwaitIdle(Slot& slot) {
  if (!slot.used) return absl::OkStatus();
  slot.used = false;
  return context_->Check(context_->driver().cuEventSynchronize(slot.idle), "cuEventSynchronize");
}

absl::Status Staging::Copy(CuPointer to, CuPointer from, int64_t size_bytes, Slot& slot) {
  const Driver& driver = context_->driver();
  ACCELD_RETURN_IF_ERROR(context_->Check(
      driver.cuMemcpyAsync(to, from, static_cast<size_t>(size_bytes), stream_), "cuMemcpyAsync"));
  slot.used = true;
  return context_->Check(driver.cuEventRecord(slot.idle, stream_), "cuEventRecord");
}

bool Staging::NextIsIdle() {
  const Slot& slot = slots_[static_cast<size_t>(next_ % kSlots)];
  return !slot.used || (context_->Enter().ok() &&
                        context_->driver().cuEventQuery(slot.idle) != Driver::kNotReady);
}

absl::Status Staging::CopyIn(const char* from, CuPointer to, int64_t size_bytes) {
  ACCELD_RETURN_IF_ERROR(Open());
  for (int64_t done = 0; done < size_bytes; done += kSlotBytes) {
    const int64_t piece = std::min(kSlotBytes, size_bytes - done);
    Slot& slot = slots_[static_cast<size_t>(next_++ % kSlots)];
    ACCELD_RETURN_IF_ERROR(AwaitIdle(slot));
    std::memcpy(slot.memory, from + done, static_cast<size_t>(piece));
    ACCELD_RETURN_IF_ERROR(Copy(to + static_cast<CuPointer>(done), AddressOf(slot), piece, slot));
  }
  return absl::OkStatus();
}

absl::Status Staging::CopyOut(CuPointer from, char* to, int64_t size_bytes) {
  ACCELD_RETURN_IF_ERROR(Open());
  const int64_t pieces = CeilDivide(size_bytes, kSlotBytes);
  const auto size_of = [size_bytes](int64_t piece) {
    return std::min(kSlotBytes, size_bytes - piece * kSlotBytes);
  };
  // The device works ahead on all slots but the one that the host empties.
  const int first = next_;
  const auto slot_of = [&](int64_t piece) -> Slot& {
    return slots_[static_cast<size_t>((first + piece) % kSlots)];
  };
  for (int64_t ahead = 0; ahead < pieces + kSlots - 1; ++ahead) {
    if (ahead < pieces) {
      Slot& slot = slot_of(ahead);
      ACCELD_RETURN_IF_ERROR(AwaitIdle(slot));
      ACCELD_RETURN_IF_ERROR(Copy(AddressOf(slot),
                                  from + static_cast<CuPointer>(ahead * kSlotBytes), size_of(ahead),
                                  slot));
    }
    const int64_t piece = ahead - (kSlots - 1);
    if (piece < 0) continue;
    Slot& slot = slot_of(piece);
    ACCELD_RETURN_IF_ERROR(AwaitIdle(slot));
    std::memcpy(to + piece * kSlotBytes, slot.memory, static_cast<size_t>(size_of(piece)));
  }
  next_ = static_cast<int>((first + pieces) % kSlots);
  return absl::OkStatus();
}

}  // namespace acceld::hal::cuda
