#include "server/compiler/fusion/groups/merge_reductions.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/memory/allocation.h"
#include "kernels/lowering/reducer.h"
#include "server/compiler/fusion/cost.h"
#include "server/compiler/fusion/groups/groups.h"
#include "server/compiler/fusion/groups/part_merger.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// A smaller value is not worth a merge: the second read finds it in a cache near the core.
constexpr int64_t kMinElements = 64 * 1024;
// The most results of one fusion, because the accumulators of all are in registers and scratch
// memory at the same time.
constexpr size_t kMaxResults = 4;
// With how many earlier reductions each one is compared. Reductions of the same value are usually
// near each other.
constexpr size_t kNeighbours = 16;

// The shape that a fusion of reductions iterates over, and the dimensions that it reduces.
struct Space {
  ir::Dims dims;
  std::vector<int64_t> reduced;  // ascending
  friend bool operator==(const Space&, const Space&) = default;
};

// Returns the common space of all reductions of a fusion. Returns nullopt for other ops, if the
// spaces differ, if a result of the fusion is not that of a reduction, or if a reduction reads the
// result of another.
absl::optional<Space> SpaceOf(const ir::Function& function, const ir::Op& fusion) {
  if (fusion.kind != OpKind::kFusion ||
      fusion.As<ir::FusionAttributes>().kind != ir::FusionKind::kReduction) {
    return absl::nullopt;
  }
  const ir::Region& body = fusion.regions[0];
  absl::optional<Space> common;
  std::vector<ir::ValueId> reduced;
  for (const ir::Op& op : body.ops) {
    for (ir::ValueId id : op.operands) {
      if (std::find(reduced.begin(), reduced.end(), id) != reduced.end()) return absl::nullopt;
    }
    if (op.kind != OpKind::kReduce) continue;
    if (!ir::IsSimpleReducer(function, op.regions[0])) return absl::nullopt;
    Space space{function.TensorOf(op.operands[0]).dims,
                op.As<ir::DimensionsAttributes>().dimensions};
    std::sort(space.reduced.begin(), space.reduced.end());
    if (common.has_value() && !(space == *common)) return absl::nullopt;
    common = std::move(space);
    reduced.insert(reduced.end(), op.results.begin(), op.results.end());
  }
  if (reduced.size() > kMaxResults || body.results != reduced) return absl::nullopt;
  return common;
}

// Returns the value of which `id` is a reshape, or `id` itself.
ir::ValueId SourceOf(const RegionGraph& graph, ir::ValueId id) {
  for (OpIndex i = graph.DefinitionOf(id); i != kNoOp && graph.ops()[i].kind == OpKind::kReshape;
       i = graph.DefinitionOf(id)) {
    id = graph.ops()[i].operands[0];
  }
  return id;
}

// Whether both fusions read a common value with as many elements as the space, in any shape, and it
// is large enough.
bool ShareElements(const RegionGraph& graph, const ir::Op& a, const ir::Op& b, const Space& space) {
  const int64_t elements =
      std::accumulate(space.dims.begin(), space.dims.end(), int64_t{1}, std::multiplies<>());
  if (elements < kMinElements) return false;
  return std::any_of(a.operands.begin(), a.operands.end(), [&](ir::ValueId of_a) {
    return graph.function().TensorOf(of_a).num_elements() == elements &&
           std::any_of(b.operands.begin(), b.operands.end(), [&](ir::ValueId of_b) {
             return SourceOf(graph, of_a) == SourceOf(graph, of_b);
           });
  });
}

bool Reads(const ir::Op& reader, const ir::Op& op) {
  return std::any_of(op.results.begin(), op.results.end(), [&](ir::ValueId id) {
    return std::find(reader.operands.begin(), reader.operands.end(), id) != reader.operands.end();
  });
}

// Returns the region's ops with two of them merged, or nullopt if no two can be merged.
absl::optional<std::vector<ir::Op>> MergeOnce(ir::Function& function, ir::Region& region,
                                              std::vector<OpIndex>& scratch) {
  std::vector<std::pair<OpIndex, Space>> found;
  for (OpIndex i = 0; i < region.ops.size(); ++i) {
    absl::optional<Space> space = SpaceOf(function, region.ops[i]);
    if (space.has_value()) found.emplace_back(i, *std::move(space));
  }
  if (found.size() < 2) return absl::nullopt;
  const RegionGraph graph(function, region, scratch);
  PartMerger merger(function, region, graph);
  for (size_t second = 1; second < found.size(); ++second) {
    const auto& [i, space] = found[second];
    if (!MayContinue()) return absl::nullopt;
    for (size_t first = second; first-- > 0 && second - first <= kNeighbours;) {
      const OpIndex j = found[first].first;
      const ir::Op &a = region.ops[j], &b = region.ops[i];
      if (found[first].second == space && a.results.size() + b.results.size() <= kMaxResults &&
          ShareElements(graph, a, b, space) && !Reads(b, a) && merger.CanMerge({j, i})) {
        return merger.Merge({j, i});
      }
    }
  }
  return absl::nullopt;
}

void MergeIn(ir::Function& function, ir::Region& region, std::vector<OpIndex>& scratch) {
  for (ir::Op& op : region.ops) {
    if (!IsControlFlow(op.kind)) continue;
    for (ir::Region& inner : op.regions) MergeIn(function, inner, scratch);
  }
  while (absl::optional<std::vector<ir::Op>> ops = MergeOnce(function, region, scratch)) {
    region.ops = *std::move(ops);
  }
}

}  // namespace

absl::StatusOr<ir::Module> MergeReductions(const ir::Module& module,
                                           const codegen::Target& target) {
  if (target.threads_per_unit() > 1) return module;
  ir::Module out = module;
  for (ir::Function& function : out.functions) {
    std::vector<OpIndex> scratch(function.value_types.size(), kNoOp);
    MergeIn(function, function.body, scratch);
    function = Renumber(std::move(function));
  }
  return out;
}

}  // namespace acceld::compiler
