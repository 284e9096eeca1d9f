#include "server/compiler/plan/buffers.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace acceld::compiler {
namespace {

using kernels::Slice;

struct Resolver {
  const ArenaLayout& layout;

  void At(Slice& slice) const {
    if (slice.space != Slice::Space::kArena) return;
    slice.offset_bytes = layout.offsets[slice.index];
    slice.index = 0;
  }
  void At(std::vector<Slice>& slices) const {
    for (Slice& slice : slices) At(slice);
  }
  void At(kernels::Steps& steps) const {
    for (kernels::Step& step : steps) {
      std::visit([&](auto& value) { In(value); }, step.value);
    }
  }

  void In(kernels::LaunchStep& step) const { At(step.buffers); }
  void In(kernels::MatmulStep& step) const {
    At(step.lhs);
    At(step.rhs);
    At(step.out);
    if (step.epilogue.has_addend()) At(step.epilogue.addend);
    if (step.epilogue.has_bias) At(step.epilogue.bias);
  }
  void In(kernels::ConvolutionStep& step) const {
    At(step.lhs);
    At(step.rhs);
    At(step.out);
    if (step.scratch.size_bytes > 0) At(step.scratch);
  }
  void In(kernels::AttentionStep& step) const {
    for (Slice* slice : {&step.query, &step.key, &step.value, &step.out}) At(*slice);
    if (step.shape.bias.has_value()) At(step.bias);
    At(step.masks);
  }
  void In(kernels::RoutineStep& step) const {
    At(step.operands);
    At(step.results);
  }
  void In(kernels::HostCallStep& step) const {
    At(step.operands);
    At(step.results);
  }
  void In(kernels::CollectiveStep& step) const {
    At(step.operands);
    At(step.results);
  }
  void In(kernels::CopyStep& step) const {
    At(step.from);
    At(step.to);
  }
  void In(kernels::WhileStep& step) const {
    At(step.condition);
    At(step.predicate);
    At(step.body);
  }
  void In(kernels::SwitchStep& step) const {
    At(step.index);
    for (kernels::Steps& branch : step.branches) At(branch);
  }
  void In(kernels::CallStep& step) const {
    At(step.arguments);
    At(step.results);
    At(step.arena);
  }
};

}  // namespace

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

absl::StatusOr<int64_t> BufferTable::Resolve(kernels::Steps& steps) const {
  std::vector<Interval> intervals(buffers_.size());
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (buffer.slice.space != Slice::Space::kArena || buffer.first_touch < 0) continue;
    intervals[i] = {buffer.slice.size_bytes, buffer.first_touch, buffer.last_touch};
  }
  ACCELD_ASSIGN_OR_RETURN(const ArenaLayout layout, LayOutArena(intervals));
  Resolver{layout}.At(steps);
  return layout.size_bytes;
}

}  // namespace acceld::compiler
