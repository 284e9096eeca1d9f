#pragma once

#include <functional>

#include "common/status.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// Measures how long work takes on a device, with a stream and two events. Only one thread at a time
// may use the object. The context must outlive it.
class Stopwatch {
 public:
  explicit Stopwatch(Context& context) : context_(context), driver_(context.driver()) {}
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // Creates the stream and the events. Must have succeeded before any other function is called.
  absl::Status Start();
  CuStream stream() const { return stream_; }

  // Returns how many milliseconds the work takes that `enqueue` enqueues on the given stream: the
  // average of three runs, after a first run, which may have to load code. If the first run takes
  // more than 100 ms, returns its time instead. Blocks until the work has ended, also after an
  // error.
  absl::StatusOr<float> Measure(const std::function<absl::Status(CuStream stream)>& enqueue);

 private:
  // Returns the total milliseconds of `runs` runs.
  absl::StatusOr<float> MeasureRuns(int runs,
                                    const std::function<absl::Status(CuStream stream)>& enqueue);

  Context& context_;
  const Driver& driver_;
  CuStream stream_ = nullptr;
  CuEvent begin_ = nullptr, end_ = nullptr;
};

}  // namespace acceld::hal::cuda
