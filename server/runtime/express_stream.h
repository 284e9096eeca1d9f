#pragma once

#include <memory>
#include <utility>

#include "server/hal/device.h"

namespace acceld::runtime {

// A stream for brief tasks that go past what the device is doing. There are a few, because a thread
// that runs such a task may lose its processor in the middle. The executor's, under its mutex.
struct ExpressStream {
  explicit ExpressStream(std::unique_ptr<hal::Stream> stream) : stream(std::move(stream)) {}

  const std::unique_ptr<hal::Stream> stream;
  int in_flight = 0;  // tasks
};

}  // namespace acceld::runtime
