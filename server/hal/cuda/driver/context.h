#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/driver.h"
#include "server/hal/cuda/driver/find_devices.h"
#include "server/hal/cuda/streams/stream_listeners.h"

namespace acceld::hal::cuda {

// The primary CUDA context of one GPU, which also records whether the device is lost. All objects
// that belong to the device share ownership of the context, so that it is released last.
// Thread-safe.
class Context {
 public:
  // Retains the device's primary context. `driver` must outlive the object.
  static absl::StatusOr<std::shared_ptr<Context>> Open(const Driver& driver,
                                                       const CudaDevice& device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return driver_; }
  const CudaDevice& device() const { return device_; }
  CuContext handle() const { return context_; }
  // The listeners that are told when a stream of this device is about to be destroyed.
  StreamListeners& stream_listeners() { return stream_listeners_; }

  // Makes the context current on the calling thread, which most functions of the driver require.
  // Returns UNAVAILABLE with the reason once the device is lost.
  absl::Status Enter();
  // Like Enter, but for functions that release resources, which are called even if the device is
  // lost. Ignores errors.
  void EnterForRelease() { driver_.cuCtxSetCurrent(context_); }
  // Converts `result`, which the driver's function called `what` returned, to a status, as
  // Driver::Check does. After an error from which the context cannot recover (for example an
  // illegal address in a kernel, or an uncorrectable memory error), marks the device as lost and
  // returns lost().
  absl::Status Check(Driver::Result result, absl::string_view what);
  // Returns OK while the device works, and UNAVAILABLE with the reason once it is lost.
  absl::Status lost() const;

 private:
  Context(const Driver& driver, CudaDevice device) : driver_(driver), device_(std::move(device)) {}

  const Driver& driver_;
  const CudaDevice device_;
  CuContext context_ = nullptr;
  StreamListeners stream_listeners_;
  mutable Mutex mutex_;
  absl::Status lost_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
