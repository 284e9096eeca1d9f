#include "server/observability/instruments/histogram.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace acceld::observability {
namespace {

constexpr std::array<int64_t, kNumBounds> MakeBounds() {
  std::array<int64_t, kNumBounds> bounds{};
  int64_t decade = 1000;
  for (size_t i = 0; i < kNumBounds; ++i) {
    bounds[i] = decade * (i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 5);
    if (i % 3 == 2) decade *= 10;
  }
  return bounds;
}

constexpr std::array<int64_t, kNumBounds> kBounds = MakeBounds();
static_assert(kBounds.back() == 100'000'000'000);

// The first bucket to which a time may belong, by the number of bits of the time in nanoseconds. At
// most one bound lies between two powers of two, so the right bucket is this one or the next.
constexpr std::array<uint8_t, 65> MakeFirstBuckets() {
  std::array<uint8_t, 65> first{};
  for (size_t bits = 1; bits < first.size(); ++bits) {
    const uint64_t least = uint64_t{1} << (bits - 1);
    size_t bucket = 0;
    while (bucket < kNumBounds && static_cast<uint64_t>(kBounds[bucket]) < least) ++bucket;
    first[bits] = static_cast<uint8_t>(bucket);
  }
  return first;
}

constexpr std::array<uint8_t, 65> kFirstBuckets = MakeFirstBuckets();

}  // namespace

const std::array<int64_t, kNumBounds> kBoundsNs = kBounds;

uint64_t HistogramSnapshot::count() const {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

void Histogram::Observe(std::chrono::nanoseconds time) {
  const auto ns = static_cast<uint64_t>(std::max<int64_t>(0, time.count()));
  size_t bucket = kFirstBuckets[std::bit_width(ns)];
  if (bucket < kNumBounds && ns > static_cast<uint64_t>(kBounds[bucket])) ++bucket;
  counts_[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_ns_.fetch_add(ns, std::memory_order_relaxed);
}

HistogramSnapshot Histogram::Read() const {
  HistogramSnapshot snapshot;
  for (size_t i = 0; i < counts_.size(); ++i) {
    snapshot.counts[i] = counts_[i].load(std::memory_order_relaxed);
  }
  snapshot.sum_s = static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) * 1e-9;
  return snapshot;
}

}  // namespace acceld::observability
