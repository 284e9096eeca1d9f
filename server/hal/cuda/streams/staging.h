#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// Copies between the device and host memory that the device cannot access, on one stream, through
// slots of pinned memory. The slots are used in rotation, so that the host fills or empties one
// slot while the device copies to or from the others. The pinned memory is allocated at the first
// use. Only one thread at a time may use the object.
class Staging {
 public:
  static constexpr int64_t kSlotBytes = int64_t{1} << 20;

  Staging(std::shared_ptr<Context> context, CuStream stream)
      : context_(std::move(context)), stream_(stream) {}
  ~Staging();  // The stream must be idle.
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Enqueues a copy from the host to the device. Blocks while no slot is free. When the function
  // returns, the bytes at `from` may be changed; the device has them when the stream has executed
  // the copy.
  absl::Status CopyIn(const char* from, CuPointer to, int64_t size_bytes);
  // Whether the next slot is free, so that a copy of up to kSlotBytes to the device does not block.
  bool NextIsIdle();
  // Copies from the device to the host. Blocks until all bytes are at `to`.
  absl::Status CopyOut(CuPointer from, char* to, int64_t size_bytes);

 private:
  static constexpr int kSlots = 4;
  struct Slot {
    char* memory = nullptr;
    CuEvent idle = nullptr;  // recorded after the last copy that uses the slot
    bool used = false;       // whether a copy that uses the slot may be in progress
  };

  // Allocates the slots unless that is done.
  absl::Status Open();
  // Blocks until the device no longer uses the slot.
  absl::Status AwaitIdle(Slot& slot);
  // Enqueues a copy to or from the slot.
  absl::Status Copy(CuPointer to, CuPointer from, int64_t size_bytes, Slot& slot);
  static CuPointer AddressOf(const Slot& slot) { return reinterpret_cast<CuPointer>(slot.memory); }

  const std::shared_ptr<Context> context_;
  const CuStream stream_;
  std::array<Slot, kSlots> slots_;
  int next_ = 0;  // the number of the next slot, modulo kSlots
};

}  // namespace acceld::hal::cuda
