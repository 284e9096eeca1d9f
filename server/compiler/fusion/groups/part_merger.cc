#include "server/compiler/fusion/groups/part_merger.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

bool Contains(const std::vector<OpIndex>& parts, OpIndex op) {
  return std::binary_search(parts.begin(), parts.end(), op);
}

}  // namespace

absl::optional<std::vector<bool>> PartMerger::FindDependents(
    const std::vector<OpIndex>& parts) const {
  std::vector<bool> dependent(graph_.ops().size());
  for (OpIndex i = parts.front(); i <= parts.back(); ++i) {
    const bool is_part = Contains(parts, i);
    if (is_part && dependent[i]) return absl::nullopt;
    if (!is_part && !dependent[i]) continue;
    for (OpIndex user : graph_.UsersOf(i)) {
      if (!is_part || !Contains(parts, user)) dependent[user] = true;
    }
  }
  return dependent;
}

std::vector<ir::Op> PartMerger::Merge(const std::vector<OpIndex>& parts) {
  const std::vector<bool> dependent = *FindDependents(parts);
  ir::Op fusion = Build(parts);
  std::vector<ir::Op> ops, moved_down;
  for (OpIndex i = 0; i < region_.ops.size(); ++i) {
    if (i == parts.back()) {
      ops.push_back(std::move(fusion));
      std::move(moved_down.begin(), moved_down.end(), std::back_inserter(ops));
    } else if (!Contains(parts, i)) {
      (i < parts.back() && dependent[i] ? moved_down : ops).push_back(std::move(region_.ops[i]));
    }
  }
  return ops;
}

ir::Op PartMerger::Build(const std::vector<OpIndex>& parts) {
  const absl::flat_hash_set<ir::ValueId> used = UsedOutside(parts);
  ir::Op fusion;
  fusion.kind = ir::OpKind::kFusion;
  fusion.attributes = ir::FusionAttributes{ir::FusionKind::kReduction};
  fusion.location = region_.ops[parts.back()].location;
  ir::Region& inner = fusion.regions.emplace_back();
  absl::flat_hash_map<ir::ValueId, ir::ValueId> inside;  // by the id that the parts use
  const auto enter = [&](ir::ValueId id) {
    if (const auto it = inside.find(id); it != inside.end()) return it->second;
    fusion.operands.push_back(id);
    inner.parameters.push_back(NewValueLike(id));
    return inside[id] = inner.parameters.back();
  };
  for (OpIndex i : parts) {
    ir::Op part = std::move(region_.ops[i]);
    const std::vector<ir::ValueId> results = part.results;
    if (part.kind == ir::OpKind::kFusion) {
      ir::Region& body = part.regions[0];
      for (size_t k = 0; k < part.operands.size(); ++k) {
        inside[body.parameters[k]] = enter(part.operands[k]);
      }
      for (ir::Op& op : body.ops) {
        for (ir::ValueId& id : op.operands) {
          if (const auto it = inside.find(id); it != inside.end()) id = it->second;
        }
        inner.ops.push_back(std::move(op));
      }
      for (size_t k = 0; k < results.size(); ++k) {
        const auto it = inside.find(body.results[k]);
        inside[results[k]] = it == inside.end() ? body.results[k] : it->second;
      }
    } else {
      for (ir::ValueId& id : part.operands) id = enter(id);
      for (ir::ValueId& id : part.results) id = inside[id] = NewValueLike(id);
      inner.ops.push_back(std::move(part));
    }
    for (ir::ValueId id : results) {
      if (!used.contains(id)) continue;
      fusion.results.push_back(id);
      inner.results.push_back(inside[id]);
    }
  }
  return fusion;
}

ir::ValueId PartMerger::NewValueLike(ir::ValueId id) {
  function_.value_types.push_back(ir::Type(function_.value_types[id]));
  return static_cast<ir::ValueId>(function_.value_types.size() - 1);
}

absl::flat_hash_set<ir::ValueId> PartMerger::UsedOutside(const std::vector<OpIndex>& parts) const {
  absl::flat_hash_set<ir::ValueId> used(region_.results.begin(), region_.results.end());
  for (OpIndex i = 0; i < region_.ops.size(); ++i) {
    if (Contains(parts, i)) continue;
    const ir::Op& op = region_.ops[i];
    used.insert(op.operands.begin(), op.operands.end());
    for (const ir::Region& nested : op.regions) {
      used.insert(nested.results.begin(), nested.results.end());
      ForEachOp(nested, [&](const ir::Op& other) {
        used.insert(other.operands.begin(), other.operands.end());
        for (const ir::Region& r : other.regions) used.insert(r.results.begin(), r.results.end());
      });
    }
  }
  return used;
}

}  // namespace acceld::compiler
