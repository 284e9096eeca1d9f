#include "kernels/cpu/emit/nests/transposed_nest.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "common/ceil_divide.h"
#include "kernels/cpu/emit/nests/work_estimate.h"
#include "kernels/ir/analysis/patterns.h"

namespace acceld::kernels::cpu {
namespace {

constexpr int64_t kCacheLineBytes = 64;
// The most memory for the copies of a block: a part of the first-level cache.
constexpr int64_t kCopyBytes = int64_t{24} << 10;
// Smaller arrays stay in the first caches, whatever the order of accesses.
constexpr int64_t kMinArrayBytes = int64_t{256} << 10;
constexpr int64_t kLargestSide = 64, kSmallestSide = 16;

bool IsStraight(const Block& body) {
  return std::all_of(body.begin(), body.end(), [](const Statement& statement) {
    return !std::holds_alternative<ForStatement>(statement.value) &&
           !std::holds_alternative<WhileStatement>(statement.value) &&
           !std::holds_alternative<IfStatement>(statement.value);
  });
}

bool AllStoresGoAlong(const Block& body, const Patterns& last) {
  return std::all_of(body.begin(), body.end(), [&](const Statement& statement) {
    const auto* store = std::get_if<StoreStatement>(&statement.value);
    return store == nullptr || last.Of(store->index).is_near();
  });
}

bool IsStoredIn(const Block& body, uint32_t buffer) {
  return std::any_of(body.begin(), body.end(), [buffer](const Statement& statement) {
    const auto* store = std::get_if<StoreStatement>(&statement.value);
    return store != nullptr && store->buffer == buffer;
  });
}

class Finder {
 public:
  Finder(const Kernel& kernel, TransposedNest& found)
      : kernel_(kernel),
        found_(found),
        constants_(FindConstants(kernel)),
        last_(PatternsOf(found.nest.loops.back()->induction)) {}

  bool Find() {
    if (!AllStoresGoAlong(body(), last_)) return false;
    for (size_t level = 0; level + 1 < found_.nest.loops.size(); ++level) {
      if (found_.nest.loops[level]->extent < kSmallestSide) continue;
      std::vector<const Statement*> loads = LoadsAlong(found_.nest.loops[level]->induction);
      if (loads.size() <= found_.loads.size()) continue;
      found_.across = level;
      found_.loads = std::move(loads);
    }
    if (found_.loads.empty()) return false;
    int64_t bytes = 0;  // what the loads read in one iteration
    absl::flat_hash_set<Var> indices;
    for (const Statement* statement : found_.loads) {
      const auto& load = std::get<LoadStatement>(statement->value);
      bytes += BytesOf(load);
      indices.insert(load.index);
    }
    found_.side = kLargestSide;
    while (found_.side * found_.side * bytes > kCopyBytes) found_.side /= 2;
    found_.indices = SliceOf(body(), std::move(indices));
    return found_.side >= kSmallestSide;
  }

 private:
  const Block& body() const { return found_.nest.body(); }

  Patterns PatternsOf(Var induction) const {
    return Patterns(kernel_, constants_, body(), induction, 0);
  }

  int64_t BytesOf(const LoadStatement& load) const {
    return ir::StorageBytesOf(kernel_.Buffer(load.buffer).dtype);
  }

  std::vector<const Statement*> LoadsAlong(Var induction) const {
    const Patterns across = PatternsOf(induction);
    std::vector<const Statement*> loads;
    for (const Statement& statement : body()) {
      const auto* load = std::get_if<LoadStatement>(&statement.value);
      if (load == nullptr || load->buffer >= kernel_.buffers.size()) continue;
      if (IsStoredIn(body(), load->buffer)) continue;
      if (kernel_.Buffer(load->buffer).num_elements * BytesOf(*load) < kMinArrayBytes) continue;
      const Pattern along = last_.Of(load->index);
      const bool is_far =
          along.is_known && std::abs(along.stride) >= kCacheLineBytes / BytesOf(*load);
      if (is_far && across.Of(load->index).is_near()) loads.push_back(&statement);
    }
    return loads;
  }

  const Kernel& kernel_;
  TransposedNest& found_;
  const Constants constants_;
  const Patterns last_;
};

}  // namespace

absl::optional<TransposedNest> FindTransposedNest(const Kernel& kernel,
                                                  const ForStatement& outermost) {
  TransposedNest found{.nest = NestOf(outermost)};
  const ParallelNest& nest = found.nest;
  if (nest.loops.size() < 2 || nest.loops.back()->extent < kSmallestSide ||
      !IsStraight(nest.body()) || !kernel.scratch.empty() || !IsWorthThreads(kernel, outermost)) {
    return absl::nullopt;
  }
  const double work = std::max(1.0, EstimateWork(kernel, nest.body()));
  if (!Finder(kernel, found).Find()) return absl::nullopt;
  const auto in_block = static_cast<double>(found.side * found.side);
  const int64_t last_blocks = (found.last_loop().extent + found.side - 1) / found.side;
  found.blocks_in_strip =
      std::clamp<int64_t>(std::llround(kTileWork / (work * in_block)), 1, last_blocks);
  found.strips_of_last = CeilDivide(last_blocks, found.blocks_in_strip);
  found.num_strips = found.strips_of_last * found.blocks_of_across();
  for (const ForStatement* loop : nest.loops) {
    if (loop != &found.last_loop() && loop != &found.across_loop())
      found.num_strips *= loop->extent;
  }
  return found;
}

}  // namespace acceld::kernels::cpu
