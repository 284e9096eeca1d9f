#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// Pinned memory through which the bytes of one stream go to and from memory that the device does
// not reach: some slots, used in turn, so that the host fills or empties one while the device is at
// the others. Allocated when it is first used. For one thread at a time.
class Staging {
 public:
  static constexpr int64_t kSlotBytes = int64_t{1} << 20;

  Staging(std::shared_ptr<Context> context, CuStream stream)
      : context_(std::move(context)), stream_(stream) {}
  ~Staging();  // The stream is idle.
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // `from` is free to be changed afterwards; the device has the bytes when the stream is there.
  absl::Status CopyIn(const char* from, CuPointer to, int64_t size_bytes);
  // Whether the next piece would wait for none of the device's work.
  bool NextIsIdle();
  // The bytes are there when it returns.
  absl::Status CopyOut(CuPointer from, char* to, int64_t size_bytes);

 private:
  static constexpr int kSlots = 4;
  struct Slot {
    char* memory = nullptr;
    CuEvent idle = nullptr;  // recorded behind its last use
    bool used = false;
  };

  absl::Status Open();
  absl::Status AwaitIdle(Slot& slot);
  absl::Status Copy(CuPointer to, CuPointer from, int64_t size_bytes, Slot& slot);
  static CuPointer AddressOf(const Slot& slot) { return reinterpret_cast<CuPointer>(slot.memory); }

  const std::shared_ptr<Context> context_;
  const CuStream stream_;
  std::array<Slot, kSlots> slots_;
  int next_ = 0;
};

}  // namespace acceld::hal::cuda
