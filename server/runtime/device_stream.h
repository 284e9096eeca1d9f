#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "common/threads/mutex.h"
#include "server/hal/device.h"
#include "server/runtime/schedule/compute_stream.h"

namespace acceld::runtime {

// A stream of the device on which executions run, with what the scheduler knows of it.
class DeviceStream final : public ComputeStream {
 public:
  DeviceStream(std::unique_ptr<hal::Stream> stream, size_t max_in_flight,
               std::chrono::nanoseconds run_ahead)
      : ComputeStream(max_in_flight, run_ahead), stream(std::move(stream)) {}

  bool SetLowPriority(bool low_priority) override { return stream->SetLowPriority(low_priority); }
  bool Is(const hal::Stream* writer) const override { return stream.get() == writer; }

  // The temporary memory that launches on this stream share while it is large enough, as they never
  // overlap; nullptr when no launch uses any. Thread-safe.
  std::shared_ptr<hal::Buffer> arena() const {
    const MutexLock lock(mutex_);
    return arena_.lock();
  }
  void SetArena(const std::shared_ptr<hal::Buffer>& arena) {
    const MutexLock lock(mutex_);
    arena_ = arena;
  }

  const std::unique_ptr<hal::Stream> stream;

 private:
  mutable Mutex mutex_;
  std::weak_ptr<hal::Buffer> arena_ ABSL_GUARDED_BY(mutex_);
};

// Returns a new stream of the device; the other arguments are those of RunAhead.
inline std::unique_ptr<DeviceStream> NewDeviceStream(hal::Device& device, size_t max_in_flight,
                                                     std::chrono::nanoseconds run_ahead) {
  return std::make_unique<DeviceStream>(device.CreateStream("run"), max_in_flight, run_ahead);
}

// Returns the device's stream for a ComputeStream; nullptr for nullptr.
inline DeviceStream* DeviceStreamOf(ComputeStream* stream) {
  return static_cast<DeviceStream*>(stream);
}

}  // namespace acceld::runtime
