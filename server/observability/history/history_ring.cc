#include "server/observability/history/history_ring.h"

#include <algorithm>
#include <limits>

#include "common/check.h"

namespace acceld::observability {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr auto kNumSlots = static_cast<size_t>(HistoryRing::kSize.count());

}  // namespace

HistoryRing::HistoryRing(size_t num_values)
    : num_values_(num_values), values_(num_values * kNumSlots, kNone) {}

void HistoryRing::Add(Slots slot, absl::Span<const float> values) {
  ACCELD_CHECK(slot > newest_ && values.size() == num_values_);
  for (Slots empty = std::max(newest_, slot - kSize) + Slots(1); empty < slot; ++empty) {
    std::fill_n(values_.begin() + PositionOf(empty), num_values_, kNone);
  }
  std::copy(values.begin(), values.end(), values_.begin() + PositionOf(slot));
  newest_ = slot;
}

Series HistoryRing::Read(size_t value, Slots last) const {
  Series series(kNumSlots, kNone);
  for (size_t i = 0; i < kNumSlots; ++i) {
    const Slots slot = last - kSize + Slots(1 + static_cast<int64_t>(i));
    const bool is_kept = slot >= Slots(0) && slot <= newest_ && slot > newest_ - kSize;
    if (is_kept) series[i] = values_[static_cast<size_t>(PositionOf(slot)) + value];
  }
  return series;
}

}  // namespace acceld::observability
