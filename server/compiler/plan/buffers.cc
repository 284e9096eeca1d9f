#include "server/compiler/plan/buffers.h"

#include <algorithm>
#include <utility>

#include "server/compiler/plan/for_each_slice.h"

namespace acceld::compiler {

using kernels::Slice;

BufferId BufferTable::AddArena(int64_t size_bytes) {
  const auto id = static_cast<BufferId>(buffers_.size());
  Buffer buffer;
  buffer.slice = {Slice::Space::kArena, id, 0, size_bytes};
  buffers_.push_back(std::move(buffer));
  return id;
}

BufferId BufferTable::AddFixed(const Slice& slice) {
  Buffer buffer;
  buffer.slice = slice;
  buffers_.push_back(std::move(buffer));
  return static_cast<BufferId>(buffers_.size() - 1);
}

void BufferTable::Bind(BufferId b, int32_t last_use) {
  buffers_[b].last_use = std::max(buffers_[b].last_use, last_use);
}

bool BufferTable::IsWritable(BufferId b) const {
  const Slice::Space space = buffers_[b].slice.space;
  return (space == Slice::Space::kArena || space == Slice::Space::kResult) &&
         buffers_[b].frozen == 0;
}

void BufferTable::Touch(BufferId b, int32_t tick) {
  Buffer& buffer = buffers_[b];
  if (buffer.first_touch < 0) {
    buffer.first_touch = tick;
    buffer.first_touch_outside = loops_.empty() ? tick : loops_.front().begin;
  }
  buffer.last_touch = std::max(buffer.last_touch, tick);
  if (!loops_.empty()) loops_.back().touched.push_back(b);
}

void BufferTable::BeginLoop(int32_t tick) { loops_.push_back({tick, {}}); }

void BufferTable::EndLoop(int32_t tick) {
  Loop loop = std::move(loops_.back());
  loops_.pop_back();
  std::sort(loop.touched.begin(), loop.touched.end());
  loop.touched.erase(std::unique(loop.touched.begin(), loop.touched.end()), loop.touched.end());
  for (BufferId b : loop.touched) {
    Touch(b, buffers_[b].first_touch <= loop.begin ? tick : buffers_[b].last_touch);
  }
}

bool BufferTable::KeepThroughLoop(BufferId b) {
  Buffer& buffer = buffers_[b];
  if (buffer.first_touch <= loops_.back().begin) return false;
  buffer.first_touch = loops_.back().begin;
  return true;
}

absl::StatusOr<int64_t> BufferTable::Resolve(kernels::Steps& steps) const {
  std::vector<Interval> intervals(buffers_.size());
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (buffer.slice.space != Slice::Space::kArena || buffer.first_touch < 0) continue;
    intervals[i] = {buffer.slice.size_bytes, buffer.first_touch, buffer.last_touch};
  }
  ACCELD_ASSIGN_OR_RETURN(const ArenaLayout layout, LayOutArena(intervals));
  ForEachSlice(steps, [&](Slice& slice) {
    if (slice.space != Slice::Space::kArena) return;
    slice.offset_bytes = layout.offsets[slice.index];
    slice.index = 0;
  });
  return layout.size_bytes;
}

}  // namespace acceld::compiler
