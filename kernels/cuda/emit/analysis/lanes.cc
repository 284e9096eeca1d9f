#include "kernels/cuda/emit/analysis/lanes.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/types/optional.h"
#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/cuda/emit/analysis/loop_free_cost.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int64_t kAccessBytes = 16;  // the largest vector access
// The most work (LoopFreeCostOf) of all lanes of a thread. With more, registers do not suffice, and
// the kernel is not limited by memory.
constexpr int64_t kMaxWork = 512;

// Returns the lanes of this width if they can do all loads and stores of `body`, whose effects are
// given; else lanes of width 1.
Lanes TryLanes(const Kernel& kernel, const Constants& constants, const Block& body, Var induction,
               const Effects& effects, int64_t width) {
  const Patterns patterns(kernel, constants, body, induction, width);
  Lanes lanes{.width = width};
  absl::flat_hash_set<Var> indices;
  absl::flat_hash_set<uint32_t> stored;
  const auto are_neighbours = [&](uint32_t buffer, Var index) {
    const Pattern pattern = patterns.Of(index);
    return pattern.is_known && pattern.stride == 1 && pattern.divisor >= width &&
           width * ir::StorageBytesOf(kernel.buffers[buffer].dtype) <= kAccessBytes;
  };
  for (const Statement& statement : body) {
    if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
      // The loads of all lanes come before the stores of any, so a load must not depend on a store.
      if (effects.Stores(load->buffer)) return {};
      if (patterns.Of(load->index).is_uniform()) continue;
      if (!are_neighbours(load->buffer, load->index)) return {};
      indices.insert(load->index);
      lanes.together.insert(&statement);
    } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
      if (!are_neighbours(store->buffer, store->index) || !stored.insert(store->buffer).second)
        return {};
      indices.insert(store->index);
      lanes.together.insert(&statement);
    } else if (std::holds_alternative<IfStatement>(statement.value)) {
      Effects inside;
      inside.Add(statement);
      if (inside.TouchesFrom(0)) return {};
    }
  }
  lanes.indices = SliceOf(body, std::move(indices));
  return lanes;
}

}  // namespace

Lanes FindLanes(const Kernel& kernel, const Constants& constants, const ParallelNest& nest,
                int64_t enough_threads) {
  const Block& body = nest.body();
  Effects effects;
  effects.Add(body);
  if (effects.TouchesFrom(kernel.buffers.size())) return {};
  const ForStatement& last = *nest.loops.back();
  const absl::optional<int64_t> work = LoopFreeCostOf(body);
  if (!work.has_value()) return {};
  for (int64_t width = kAccessBytes; width > 1; width /= 2) {
    if (nest.iterations / width < enough_threads || *work * width > kMaxWork) continue;
    // Rows are aligned only if their length is a multiple of the width.
    if (nest.loops.size() > 1 && last.extent % width != 0) continue;
    Lanes lanes = TryLanes(kernel, constants, body, last.induction, effects, width);
    if (!lanes.together.empty()) return lanes;
  }
  return {};
}

}  // namespace acceld::kernels::cuda
