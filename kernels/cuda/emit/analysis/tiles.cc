#include "kernels/cuda/emit/analysis/tiles.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/cuda/emit/analysis/lanes.h"
#include "kernels/cuda/emit/analysis/loop_free_cost.h"

namespace acceld::kernels::cuda {
namespace {

// The most shared memory for the tiles of a nest; with more, few blocks would run concurrently.
constexpr int64_t kMaxTileBytes = int64_t{24} << 10;
// The limit for a loop's extent: 32-bit indices must not overflow in a partial tile at its end.
constexpr int64_t kMaxExtent = int64_t{1} << 30;

bool AllStoresAreNear(const Block& body, const Patterns& along) {
  for (const Statement& statement : body) {
    if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
      if (!along.Of(store->index).is_near()) return false;
    } else if (std::holds_alternative<IfStatement>(statement.value)) {
      Effects inside;
      inside.Add(statement);
      if (inside.has_stores()) return false;
    }
  }
  return true;
}

}  // namespace

Tiles FindTiles(const Kernel& kernel, const Constants& constants, const ParallelNest& nest,
                int64_t min_extent, int64_t max_bytes) {
  const Block& body = nest.body();
  const ForStatement& last = *nest.loops.back();
  const auto is_long = [&](const ForStatement& loop) {
    return loop.extent >= min_extent && loop.extent < kMaxExtent;
  };
  Effects effects;
  effects.Add(body);
  if (nest.loops.size() < 2 || !is_long(last) || effects.TouchesFrom(kernel.buffers.size()) ||
      !LoopFreeCostOf(body).has_value()) {
    return {};
  }
  const Patterns along(kernel, constants, body, last.induction, 0);
  if (!AllStoresAreNear(body, along)) return {};
  Tiles best;
  for (const ForStatement* loop : nest.loops) {
    if (loop == &last || !is_long(*loop)) continue;
    const Patterns across(kernel, constants, body, loop->induction, 0);
    Tiles tiles{.across = loop};
    absl::flat_hash_set<Var> indices;
    for (const Statement& statement : body) {
      const auto* load = std::get_if<LoadStatement>(&statement.value);
      if (load == nullptr || effects.Stores(load->buffer)) continue;
      if (!along.Of(load->index).is_far() || !across.Of(load->index).is_near()) continue;
      const int64_t bytes =
          kTileSide * (kTileSide + 1) * ir::StorageBytesOf(kernel.Buffer(load->buffer).dtype);
      if (tiles.bytes + bytes > std::min(max_bytes, kMaxTileBytes)) break;
      tiles.bytes += bytes;
      tiles.loads.insert(&statement);
      indices.insert(load->index);
    }
    if (tiles.loads.size() <= best.loads.size()) continue;
    tiles.indices = SliceOf(body, std::move(indices));
    best = std::move(tiles);
  }
  return best;
}

}  // namespace acceld::kernels::cuda
