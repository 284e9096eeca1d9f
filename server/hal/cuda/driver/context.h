#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/driver.h"
#include "server/hal/cuda/driver/find_devices.h"
#include "server/hal/cuda/streams/stream_ends.h"

namespace acceld::hal::cuda {

// The primary context of one GPU, and whether that still works. Shared by all that belongs to the
// device, which so goes before it does. Thread-safe.
class Context {
 public:
  // The driver outlives the context.
  static absl::StatusOr<std::shared_ptr<Context>> Open(const Driver& driver,
                                                       const CudaDevice& device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return driver_; }
  const CudaDevice& device() const { return device_; }
  CuContext handle() const { return context_; }
  StreamEnds& stream_ends() { return stream_ends_; }

  // Makes the calling thread work with this device: before calls of the driver. UNAVAILABLE with
  // the reason once the device is lost.
  absl::Status Enter();
  // The same for calls that give things back, which a lost device may not refuse.
  void EnterToFree() { driver_.cuCtxSetCurrent(context_); }
  // OK, or what the driver says of `result` of `what`. After an error that leaves nothing of the
  // context in order (a kernel that wrote where it may not, broken memory) the device is lost.
  absl::Status Check(Driver::Result result, absl::string_view what);
  // OK while the device works.
  absl::Status lost() const;

 private:
  Context(const Driver& driver, CudaDevice device) : driver_(driver), device_(std::move(device)) {}

  const Driver& driver_;
  const CudaDevice device_;
  CuContext context_ = nullptr;
  StreamEnds stream_ends_;
  mutable Mutex mutex_;
  absl::Status lost_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
