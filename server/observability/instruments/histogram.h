#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace acceld::observability {

// The inclusive upper bounds of a histogram's buckets, in nanoseconds: 1, 2 and 5 times the powers
// of ten from a microsecond to 100 seconds. Longer times fall into one more bucket without a bound.
constexpr size_t kNumBounds = 25;
extern const std::array<int64_t, kNumBounds> kBoundsNs;

// The contents of a histogram, read at about one moment.
struct HistogramSnapshot {
  // Of each bucket; the one without a bound is the last.
  std::array<uint64_t, kNumBounds + 1> counts{};
  double sum_s = 0;

  uint64_t count() const;
};

// A histogram of durations. Any thread may observe and read. An observation takes two relaxed
// atomic additions, without waiting, allocating or reading the clock.
class Histogram {
 public:
  // Adds a duration. A negative one counts as zero.
  void Observe(std::chrono::nanoseconds time);
  HistogramSnapshot Read() const;

 private:
  std::array<std::atomic<uint64_t>, kNumBounds + 1> counts_{};
  std::atomic<uint64_t> sum_ns_{0};
};

}  // namespace acceld::observability
