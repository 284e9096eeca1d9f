#include "kernels/cuda/program/dependencies.h"

#include <iterator>

#include "absl/algorithm/container.h"

namespace acceld::kernels::cuda {

void Dependencies::SplitAt(Ranges& ranges, int64_t offset) {
  auto it = ranges.upper_bound(offset);
  if (it == ranges.begin()) return;
  --it;
  if (it->first == offset || it->second.end <= offset) return;
  Range right = it->second;
  it->second.end = offset;
  ranges.emplace_hint(std::next(it), offset, std::move(right));
}

void Dependencies::Read(Ranges& ranges, int64_t begin, int64_t end, std::vector<size_t>& before) {
  int64_t at = begin;
  for (auto it = ranges.lower_bound(begin); at < end; ++it) {
    // Adds a range for bytes that no node has accessed yet.
    const int64_t next = it == ranges.end() ? end : std::min(it->first, end);
    if (at < next) it = ranges.emplace_hint(it, at, Range{.end = next});
    Range& range = it->second;
    if (range.writer != kNoNode) before.push_back(range.writer);
    if (range.readers.empty() || range.readers.back() != next_) range.readers.push_back(next_);
    at = range.end;
  }
}

void Dependencies::Write(Ranges& ranges, int64_t begin, int64_t end, std::vector<size_t>& before) {
  const auto first = ranges.lower_bound(begin), last = ranges.lower_bound(end);
  for (auto it = first; it != last; ++it) {
    const Range& range = it->second;
    if (range.writer != kNoNode) before.push_back(range.writer);
    before.insert(before.end(), range.readers.begin(), range.readers.end());
  }
  ranges.erase(first, last);
  ranges.emplace(begin, Range{.end = end, .writer = next_});
}

std::vector<size_t> Dependencies::Add(absl::Span<const Access> accesses) {
  std::vector<size_t> before;
  // Reads are recorded before writes, because the node may read bytes that it also writes.
  for (const bool writes : {false, true}) {
    for (const Access& access : accesses) {
      const Slice& slice = access.slice;
      if (access.is_written != writes || slice.size_bytes == 0) continue;
      Ranges& ranges = spaces_[{slice.space, slice.index}];
      const int64_t begin = slice.offset_bytes, end = begin + slice.size_bytes;
      SplitAt(ranges, begin);
      SplitAt(ranges, end);
      writes ? Write(ranges, begin, end, before) : Read(ranges, begin, end, before);
    }
  }
  absl::c_sort(before);
  before.erase(std::unique(before.begin(), before.end()), before.end());
  // A node does not depend on itself.
  if (!before.empty() && before.back() == next_) before.pop_back();
  ++next_;
  return before;
}

}  // namespace acceld::kernels::cuda
