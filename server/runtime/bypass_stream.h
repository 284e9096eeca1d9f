#pragma once

#include <memory>
#include <utility>

#include "server/hal/device.h"

namespace acceld::runtime {

// A stream for very short tasks that overtake the work of the device. There are several, because a
// thread that runs such a task may lose its processor in the middle. Owned by the executor and
// guarded by its mutex.
struct BypassStream {
  explicit BypassStream(std::unique_ptr<hal::Stream> stream) : stream(std::move(stream)) {}

  const std::unique_ptr<hal::Stream> stream;
  int in_flight = 0;  // the number of tasks in flight
};

}  // namespace acceld::runtime
