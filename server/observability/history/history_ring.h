#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ratio>
#include <vector>

#include "absl/types/span.h"
#include "server/observability/history/series.h"

namespace acceld::observability {

// The last samples of some values, in a ring of fixed size. Time is divided into slots of equal
// length, each of which has at most one sample; a slot without one is empty. Allocates in the
// constructor and for readers only. Not thread-safe.
class HistoryRing {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // A number of slots. The number of a slot counts from the epoch of the clock.
  using Slots = std::chrono::duration<int64_t, std::ratio<10>>;
  static constexpr Slots kSize{360};  // an hour

  // The ring takes 4 bytes for each value and slot.
  explicit HistoryRing(size_t num_values);

  // Returns the slot that contains `time`.
  static Slots SlotOf(TimePoint time) { return std::chrono::floor<Slots>(time.time_since_epoch()); }

  // Sets the sample of a slot that is later than all others; `values` has as many values as the
  // ring. Slots that were passed over are empty. A value may be NaN: it is not known.
  void Add(Slots slot, absl::Span<const float> values);
  // The latest slot that has a sample; -1: none has.
  Slots newest() const { return newest_; }

  // Returns one value of the kSize slots that end with `last`, the oldest first; NaN where a slot
  // is empty.
  Series Read(size_t value, Slots last) const;

 private:
  // Returns where the values of a slot begin in `values_`.
  ptrdiff_t PositionOf(Slots slot) const {
    return static_cast<ptrdiff_t>(num_values_) * (slot % kSize).count();
  }

  const size_t num_values_;
  std::vector<float> values_;
  Slots newest_{-1};
};

}  // namespace acceld::observability
