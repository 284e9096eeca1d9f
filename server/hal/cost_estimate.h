#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace acceld::hal {

// What a run is expected to take, from what runs took: a moving average that follows a rise within
// a few runs, but makes little of a single one (a thread that lost its processor). Any thread;
// of measurements at the same moment one may be lost.
class CostEstimate {
 public:
  // Nanoseconds, at least 1; 0 while nothing was measured.
  int64_t ns() const { return ns_.load(std::memory_order_relaxed); }

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
