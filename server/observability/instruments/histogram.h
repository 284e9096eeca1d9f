#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace acceld::observability {

// Upper bounds of a histogram's buckets, inclusive, in nanoseconds: 1, 2 and 5 times the powers of
// ten from a microsecond to 100 seconds. Longer times fall into one more bucket without a bound.
constexpr size_t kNumBounds = 25;
extern const std::array<int64_t, kNumBounds> kBoundsNs;

// What a histogram held at about one moment.
struct HistogramSnapshot {
  std::array<uint64_t, kNumBounds + 1> counts{};  // of each bucket, the boundless one last
  double sum_s = 0;

  uint64_t count() const;
};

// How long something took, each time. Any thread may observe and read; an observation is two
// relaxed additions, without a wait, an allocation or a look at the clock.
class Histogram {
 public:
  // A negative time counts as none.
  void Observe(std::chrono::nanoseconds time);
  HistogramSnapshot Read() const;

 private:
  std::array<std::atomic<uint64_t>, kNumBounds + 1> counts_{};
  std::atomic<uint64_t> sum_ns_{0};
};

}  // namespace acceld::observability
