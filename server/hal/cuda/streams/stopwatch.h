#pragma once

#include <functional>

#include "common/status.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// How long things take on a device: a stream and two events. For one thread at a time; the context
// outlives it.
class Stopwatch {
 public:
  explicit Stopwatch(Context& context) : context_(context), driver_(context.driver()) {}
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // Before anything else.
  absl::Status Start();
  CuStream stream() const { return stream_; }

  // Milliseconds of what `enqueue` enqueues, after a first time, which may have to load code. What
  // takes long is not repeated. Blocks until it is done, also where it fails.
  absl::StatusOr<float> Measure(const std::function<absl::Status(CuStream stream)>& enqueue);

 private:
  absl::StatusOr<float> MeasureRuns(int runs,
                                    const std::function<absl::Status(CuStream stream)>& enqueue);

  Context& context_;
  const Driver& driver_;
  CuStream stream_ = nullptr;
  CuEvent begin_ = nullptr, end_ = nullptr;
};

}  // namespace acceld::hal::cuda
