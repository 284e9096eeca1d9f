#include "server/compiler/fusion/build_fusion.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ValueMap = absl::flat_hash_map<ir::ValueId, ir::ValueId>;

class FusionBuilder {
 public:
  FusionBuilder(const RegionGraph& graph, std::vector<ir::Type>& value_types)
      : graph_(graph), value_types_(value_types) {}

  // Makes the fusion. Only roots for which `is_needed` is true become results: all users of another
  // root may be in the same (merged) group.
  ir::Op Build(const Group& group, const std::function<bool(OpIndex)>& is_needed) {
    std::vector<OpIndex> order = group.members();
    std::sort(order.begin(), order.end());
    if (order.size() == 1) return graph_.ops()[order[0]];
    ir::Op fusion;
    fusion.kind = ir::OpKind::kFusion;
    fusion.attributes = ir::FusionAttributes{group.kind()};
    fusion.location = graph_.ops()[group.roots().back()].location;
    ir::Region& region = fusion.regions.emplace_back();
    ValueMap map;
    for (OpIndex i : order) {
      for (ir::ValueId id : graph_.ops()[i].operands) {
        if (map.contains(id)) continue;
        const OpIndex definition = graph_.DefinitionOf(id);
        if (definition != kNoOp && group.Contains(definition)) continue;
        fusion.operands.push_back(id);
        region.parameters.push_back(Define(id, map));
      }
    }
    for (OpIndex i : order) region.ops.push_back(Clone(graph_.ops()[i], map));
    std::vector<OpIndex> roots = group.roots();
    const auto needed = std::stable_partition(roots.begin(), roots.end(), is_needed);
    if (needed != roots.begin()) roots.erase(needed, roots.end());
    for (OpIndex root : roots) {
      for (ir::ValueId id : graph_.ops()[root].results) {
        fusion.results.push_back(id);
        region.results.push_back(map[id]);
      }
    }
    return fusion;
  }

 private:
  ir::ValueId Define(ir::ValueId id, ValueMap& map) {
    const auto fresh = static_cast<ir::ValueId>(value_types_.size());
    value_types_.push_back(ir::Type(value_types_[id]));
    map[id] = fresh;
    return fresh;
  }

  ir::Op Clone(const ir::Op& op, ValueMap& map) {
    ir::Op copy;
    copy.kind = op.kind;
    copy.attributes = op.attributes;
    copy.location = op.location;
    for (ir::ValueId id : op.operands) copy.operands.push_back(map[id]);
    for (const ir::Region& region : op.regions) {
      ir::Region& inner = copy.regions.emplace_back();
      for (ir::ValueId id : region.parameters) inner.parameters.push_back(Define(id, map));
      for (const ir::Op& o : region.ops) inner.ops.push_back(Clone(o, map));
      for (ir::ValueId id : region.results) inner.results.push_back(map[id]);
    }
    for (ir::ValueId id : op.results) copy.results.push_back(Define(id, map));
    return copy;
  }

  const RegionGraph& graph_;
  std::vector<ir::Type>& value_types_;
};

// Whether the op may have side effects, so that it must stay without users. Recurses as deep as
// regions nest, which the verifier bounds.
bool MayHaveEffects(const ir::Op& op) {
  if (op.kind == ir::OpKind::kCustomCall || op.kind == ir::OpKind::kCall) return true;
  return IsControlFlow(op.kind) &&
         std::any_of(op.regions.begin(), op.regions.end(), [](const ir::Region& region) {
           return std::any_of(region.ops.begin(), region.ops.end(), &MayHaveEffects);
         });
}

}  // namespace

std::vector<ir::Op> BuildFusions(const RegionGraph& graph, const std::vector<Group>& groups,
                                 std::vector<ir::Type>& value_types) {
  const size_t n = graph.ops().size();
  std::vector<const Group*> at(n, nullptr);
  std::vector<bool> is_root(n), needed(n);
  for (const Group& group : groups) {
    at[group.position()] = &group;
    for (OpIndex root : group.roots()) is_root[root] = true;
  }
  const auto need = [&](ir::ValueId id) {
    const OpIndex definition = graph.DefinitionOf(id);
    if (definition != kNoOp) needed[definition] = true;
  };
  FusionBuilder builder(graph, value_types);
  std::vector<ir::Op> reversed;
  for (OpIndex i = static_cast<OpIndex>(n); i-- > 0;) {
    const ir::Op& op = graph.ops()[i];
    if (at[i] != nullptr) {
      reversed.push_back(
          builder.Build(*at[i], [&](OpIndex root) { return needed[root] || graph.Escapes(root); }));
    } else if (is_root[i]) {
      continue;
    } else if (needed[i] || graph.Escapes(i) || MayHaveEffects(op)) {
      reversed.push_back(op);
    } else {
      continue;
    }
    for (ir::ValueId id : reversed.back().operands) need(id);
    for (const ir::Region& region : reversed.back().regions) {
      ForEachOp(region, [&](const ir::Op& inner) {
        for (ir::ValueId id : inner.operands) need(id);
        for (const ir::Region& r : inner.regions) {
          for (ir::ValueId id : r.results) need(id);
        }
      });
      for (ir::ValueId id : region.results) need(id);
    }
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

}  // namespace acceld::compiler
