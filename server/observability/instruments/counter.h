#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace acceld::observability {

// A counter that only grows. Any thread may add and read, without waiting or allocating. Hot paths
// should add once per batch rather than once per item.
class Counter {
 public:
  void Add(uint64_t count = 1) { value_.fetch_add(count, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// Counts by canonical status code, including OK.
constexpr size_t kNumStatusCodes = 17;
using CountsByCode = std::array<uint64_t, kNumStatusCodes>;

// One counter for each status code. Codes that are not canonical count as UNKNOWN.
class StatusCounter {
 public:
  void Add(absl::StatusCode code) {
    const auto index = static_cast<size_t>(code);
    counters_[index < kNumStatusCodes ? index : static_cast<size_t>(absl::StatusCode::kUnknown)]
        .Add();
  }
  CountsByCode Read() const {
    CountsByCode counts;
    for (size_t i = 0; i < kNumStatusCodes; ++i) counts[i] = counters_[i].value();
    return counts;
  }

 private:
  std::array<Counter, kNumStatusCodes> counters_;
};

}  // namespace acceld::observability
