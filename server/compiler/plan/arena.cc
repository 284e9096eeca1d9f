#include "server/compiler/plan/arena.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {
namespace {

constexpr int64_t kMaxArenaBytes = int64_t{1} << 60;
// The most buffers for which LayOutByWeight, which takes quadratic time, is tried: this many take
// milliseconds. More buffers leave only small gaps in any order.
constexpr size_t kMaxSorted = 2000;

int64_t Aligned(int64_t size) {
  return (size + kernels::kBufferAlignment - 1) / kernels::kBufferAlignment *
         kernels::kBufferAlignment;
}

// The free gaps of the arena as buffers are allocated and freed (best fit). Adjacent gaps are
// merged.
class FreeList {
 public:
  // Allocates `size` bytes and returns their offset.
  int64_t Take(int64_t size) {
    const auto fit = by_size_.lower_bound({size, 0});
    if (fit == by_size_.end()) {
      // No gap fits: the arena grows. A gap at its end becomes part of the new buffer.
      int64_t offset = end_;
      if (!by_offset_.empty()) {
        const auto last = std::prev(by_offset_.end());
        if (last->first + last->second == end_) {
          offset = last->first;
          by_size_.erase({last->second, last->first});
          by_offset_.erase(last);
        }
      }
      end_ = offset + size;
      return offset;
    }
    const auto [gap, offset] = *fit;
    by_size_.erase(fit);
    by_offset_.erase(offset);
    if (gap > size) Insert(offset + size, gap - size);
    return offset;
  }

  // Frees a buffer.
  void Give(int64_t offset, int64_t size) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && offset + size == next->first) {
      size += next->second;
      by_size_.erase({next->second, next->first});
      next = by_offset_.erase(next);
    }
    if (next != by_offset_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        offset = previous->first;
        size += previous->second;
        by_size_.erase({previous->second, previous->first});
        by_offset_.erase(previous);
      }
    }
    Insert(offset, size);
  }

  int64_t end() const { return end_; }

 private:
  void Insert(int64_t offset, int64_t size) {
    by_offset_[offset] = size;
    by_size_.insert({size, offset});
  }

  int64_t end_ = 0;
  std::map<int64_t, int64_t> by_offset_;           // offset -> size
  std::set<std::pair<int64_t, int64_t>> by_size_;  // (size, offset)
};

using Order = std::vector<size_t>;  // Numbers of intervals.

absl::StatusOr<ArenaLayout> LayOutByTime(absl::Span<const Interval> intervals, Order order) {
  ArenaLayout layout;
  layout.offsets.assign(intervals.size(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return intervals[a].first < intervals[b].first; });
  FreeList free;
  using Ending = std::pair<int32_t, size_t>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> living;
  int64_t live_bytes = 0;
  for (size_t i : order) {
    while (!living.empty() && living.top().first < intervals[i].first) {
      const size_t ended = living.top().second;
      living.pop();
      free.Give(layout.offsets[ended], Aligned(intervals[ended].size_bytes));
      live_bytes -= Aligned(intervals[ended].size_bytes);
    }
    layout.offsets[i] = free.Take(Aligned(intervals[i].size_bytes));
    if (free.end() > kMaxArenaBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("temporaries need more than ", kMaxArenaBytes, " bytes"));
    }
    living.push({intervals[i].last, i});
    live_bytes += Aligned(intervals[i].size_bytes);
    layout.live_bytes = std::max(layout.live_bytes, live_bytes);
  }
  layout.size_bytes = free.end();
  return layout;
}

bool ExistTogether(const Interval& a, const Interval& b) {
  return a.first <= b.last && b.first <= a.last;
}

// Places the buffers with the largest `weight` first, each at the lowest possible offset. Takes
// quadratic time.
template <typename Weight>
ArenaLayout LayOutByWeight(absl::Span<const Interval> intervals, Order order,
                           const Weight& weight) {
  ArenaLayout layout;
  layout.offsets.assign(intervals.size(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return weight(intervals[a]) > weight(intervals[b]); });
  Order placed;  // Sorted by offset.
  const auto by_offset = [&](size_t a, size_t b) { return layout.offsets[a] < layout.offsets[b]; };
  for (size_t i : order) {
    const int64_t size = Aligned(intervals[i].size_bytes);
    int64_t offset = 0;
    for (size_t other : placed) {
      if (!ExistTogether(intervals[i], intervals[other])) continue;
      if (offset + size <= layout.offsets[other]) break;
      offset = std::max(offset, layout.offsets[other] + Aligned(intervals[other].size_bytes));
    }
    layout.offsets[i] = offset;
    layout.size_bytes = std::max(layout.size_bytes, offset + size);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i, by_offset), i);
  }
  return layout;
}

}  // namespace

absl::StatusOr<ArenaLayout> LayOutArena(absl::Span<const Interval> intervals) {
  Order order;
  for (size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].size_bytes > 0) order.push_back(i);
  }
  ACCELD_ASSIGN_OR_RETURN(ArenaLayout layout, LayOutByTime(intervals, order));
  const auto attempt = [&](const auto& weight) {
    if (layout.size_bytes == layout.live_bytes || order.size() > kMaxSorted) return;
    ArenaLayout other = LayOutByWeight(intervals, order, weight);
    if (other.size_bytes >= layout.size_bytes) return;
    other.live_bytes = layout.live_bytes;
    layout = std::move(other);
  };
  attempt([](const Interval& one) { return one.size_bytes; });
  attempt([](const Interval& one) {  // Most bytes times steps.
    return static_cast<double>(one.size_bytes) * (one.last - one.first + 1.0);
  });
  attempt([](const Interval& one) { return std::pair(one.last - one.first, one.size_bytes); });
  return layout;
}

}  // namespace acceld::compiler
