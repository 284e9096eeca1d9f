#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace acceld::hal {

// Estimates the duration of a run of an executable from the measured durations of earlier runs: a
// moving average that follows a rise within a few runs, but limits the influence of a single
// outlier, such as a run whose thread was preempted. Thread-safe; when two threads record a
// duration at the same moment, one of the two may be lost.
class CostEstimate {
 public:
  // Returns the estimate in nanoseconds, at least 1; 0 while no duration was recorded.
  int64_t ns() const { return ns_.load(std::memory_order_relaxed); }

  // Adds the measured duration of one run, in nanoseconds.
  void Record(int64_t ns) {
    const int64_t sample = std::max<int64_t>(ns, 1);
    const int64_t old = ns_.load(std::memory_order_relaxed);
    if (old == 0) {
      ns_.store(sample, std::memory_order_relaxed);
      return;
    }
    const int64_t change =
        sample > old ? (std::min(sample, 8 * old) - old) / 2 : (sample - old) / 4;
    ns_.store(std::max<int64_t>(old + change, 1), std::memory_order_relaxed);
  }

 private:
  std::atomic<int64_t> ns_{0};
};

}  // namespace acceld::hal
