#include "server/compiler/fusion/groups/fuse_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/memory/allocation.h"
#include "kernels/lowering/reducer.h"
#include "server/compiler/fusion/groups/groups.h"
#include "server/compiler/fusion/groups/part_merger.h"
#include "server/compiler/fusion/groups/row_alignment.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// Fewer rows would leave threads without work, unless there are at most kLittleWork elements.
// Shorter rows are faster when vectors run across rows.
constexpr int64_t kMinRows = 64;
constexpr int64_t kMinColumns = 64;
constexpr int64_t kLittleWork = 16 * 1024;
// All elements of a row that are in use at a time should fit into a cache near the core.
constexpr int64_t kMaxColumns = 64 * 1024;
constexpr size_t kMaxInnerOps = 256;
// The most ops that are tried as further parts of one fusion.
constexpr size_t kMaxTries = 64;

// Whether an op of this kind may be a part of a row fusion.
bool IsPart(const ir::Op& op) {
  if (op.kind == OpKind::kReduce || op.kind == OpKind::kReshape) return true;
  if (op.kind != OpKind::kFusion) {
    return ir::FamilyOf(op.kind) == ir::OpFamily::kElementwise;
  }
  const ir::FusionKind kind = op.As<ir::FusionAttributes>().kind;
  return kind == ir::FusionKind::kLoop || kind == ir::FusionKind::kReduction;
}

// The ops that compute a part's results.
std::vector<const ir::Op*> InnerOps(const ir::Op& part) {
  std::vector<const ir::Op*> ops;
  if (part.kind != OpKind::kFusion) return {&part};
  for (const ir::Op& op : part.regions[0].ops) ops.push_back(&op);
  return ops;
}

// Whether the part contains a reduction of blocks, for instance of blocks of a matrix's rows
// (kernels::ReducesBlocks).
bool ReducesBlocks(const ir::Function& function, const ir::Op& part) {
  const std::vector<const ir::Op*> ops = InnerOps(part);
  return std::any_of(ops.begin(), ops.end(), [&](const ir::Op* op) {
    return op->kind == OpKind::kReduce && kernels::ReducesBlocks(function, *op);
  });
}

// Finds and merges one row fusion of a region. A part is an op of the region, often a fusion, that
// is merged into the row fusion.
class RowFuser {
 public:
  RowFuser(ir::Function& function, ir::Region& region, std::vector<OpIndex>& scratch,
           absl::flat_hash_set<ir::ValueId>& seeds)
      : function_(function),
        graph_(function, region, scratch),
        merger_(function, region, graph_),
        seeds_(seeds) {
    for (OpIndex i = 0; i < region.ops.size(); ++i) {
      const ir::Op& op = region.ops[i];
      if (ReducesBlocks(function, op)) {
        for (ir::ValueId id : op.operands) block_readers_[SourceOf(id)].push_back(i);
      }
      if (op.kind != OpKind::kFusion) continue;
      const ir::Region& inner = op.regions[0];
      for (size_t i = 0; i < op.operands.size(); ++i) alias_[inner.parameters[i]] = op.operands[i];
      for (size_t i = 0; i < op.results.size(); ++i) alias_[op.results[i]] = inner.results[i];
    }
  }

  // Returns the region's ops with one more row fusion, or nullopt if none can be made.
  absl::optional<std::vector<ir::Op>> Run() {
    for (OpIndex i = 0; i < graph_.ops().size() && MayContinue(); ++i) {
      const absl::optional<RowSpace> space = SpaceOf(graph_.ops()[i]);
      if (!space.has_value() || !seeds_.insert(graph_.ops()[i].results[0]).second) continue;
      const std::vector<OpIndex> parts = WithoutOuterReshapes(Grow(i, *space));
      if (parts.size() > 1) return merger_.Merge(parts);
    }
    return absl::nullopt;
  }

 private:
  // Returns the row space of the first reduction of rows in the part, if its size suits.
  absl::optional<RowSpace> SpaceOf(const ir::Op& part) const {
    if (!IsPart(part)) return absl::nullopt;
    for (const ir::Op* op : InnerOps(part)) {
      const absl::optional<RowSpace> space = RowSpaceOf(function_, *op);
      if (!space.has_value()) continue;
      const int64_t rows = space->rows(), columns = space->columns();
      if (columns < kMinColumns || columns > kMaxColumns ||
          (rows < kMinRows && rows * columns > kLittleWork)) {
        return absl::nullopt;
      }
      return space;
    }
    return absl::nullopt;
  }

  // Returns the parts of the largest row fusion that is found around `seed`, ascending.
  std::vector<OpIndex> Grow(OpIndex seed, const RowSpace& space) const {
    std::vector<OpIndex> parts = {seed};
    if (!IsFusible(parts, space)) return parts;
    size_t tries = 0;
    for (bool grown = true; grown;) {
      grown = false;
      for (OpIndex candidate : Neighbours(parts, space)) {
        if (++tries > kMaxTries) return parts;
        std::vector<OpIndex> more = parts;
        Add(candidate, more);
        if (!IsFusible(more, space)) continue;
        parts = std::move(more);
        grown = true;
        break;
      }
    }
    return parts;
  }

  // Adds the candidate, together with the reshapes that only its reduction of blocks reads: within
  // a row fusion they are part of that reduction.
  void Add(OpIndex candidate, std::vector<OpIndex>& parts) const {
    const auto insert = [&](OpIndex op) {
      if (!Contains(parts, op)) parts.insert(std::upper_bound(parts.begin(), parts.end(), op), op);
    };
    insert(candidate);
    for (ir::ValueId id : graph_.ops()[candidate].operands) {
      const OpIndex source = graph_.DefinitionOf(id);
      if (source != kNoOp && OnlyMakesBlocks(source)) insert(source);
    }
  }

  // Returns the operand of the reshape that gives the value, or the value itself if it comes from
  // another op.
  ir::ValueId SourceOf(ir::ValueId id) const {
    const OpIndex op = graph_.DefinitionOf(id);
    const bool reshapes = op != kNoOp && graph_.ops()[op].kind == OpKind::kReshape;
    return reshapes ? graph_.ops()[op].operands[0] : id;
  }

  // Whether the op is a reshape whose only user is a reduction of blocks.
  bool OnlyMakesBlocks(OpIndex op) const {
    const std::vector<OpIndex>& users = graph_.UsersOf(op);
    return graph_.ops()[op].kind == OpKind::kReshape && !graph_.Escapes(op) && users.size() == 1 &&
           ReducesBlocks(function_, graph_.ops()[users[0]]);
  }

  // Removes reshapes at the border of the parts: outside a fusion a reshape costs nothing, because
  // it is only another name for the same bytes.
  std::vector<OpIndex> WithoutOuterReshapes(std::vector<OpIndex> parts) const {
    const auto is_outer = [&](OpIndex i) {
      if (graph_.ops()[i].kind != OpKind::kReshape || OnlyMakesBlocks(i)) return false;
      const OpIndex source = graph_.DefinitionOf(graph_.ops()[i].operands[0]);
      const auto& users = graph_.UsersOf(i);
      return source == kNoOp || !Contains(parts, source) ||
             std::none_of(users.begin(), users.end(),
                          [&](OpIndex user) { return Contains(parts, user); });
    };
    for (auto outer = std::find_if(parts.begin(), parts.end(), is_outer); outer != parts.end();
         outer = std::find_if(parts.begin(), parts.end(), is_outer)) {
      parts.erase(outer);
    }
    return parts;
  }

  // Returns the ops that may become the next part: users and producers of the parts, and reductions
  // of blocks of the values that the parts read.
  std::vector<OpIndex> Neighbours(const std::vector<OpIndex>& parts, const RowSpace& space) const {
    std::vector<OpIndex> found;
    const auto add = [&](OpIndex i) {
      if (i != kNoOp && !Contains(parts, i) && IsPart(graph_.ops()[i]) &&
          std::find(found.begin(), found.end(), i) == found.end()) {
        found.push_back(i);
      }
    };
    for (OpIndex part : parts) {
      for (OpIndex user : graph_.UsersOf(part)) {
        add(OnlyMakesBlocks(user) ? graph_.UsersOf(user)[0] : user);
      }
      for (ir::ValueId id : graph_.ops()[part].operands) add(graph_.DefinitionOf(id));
    }
    // Add the ops that reduce blocks of the values that the parts read.
    for (OpIndex part : parts) {
      for (ir::ValueId id : graph_.ops()[part].operands) {
        if (function_.TensorOf(id).dims != space.dims) continue;
        const auto readers = block_readers_.find(id);
        if (readers == block_readers_.end()) continue;
        for (OpIndex reader : readers->second) {
          if (found.size() >= kMaxTries) return found;
          add(reader);
        }
      }
    }
    return found;
  }

  static bool Contains(const std::vector<OpIndex>& parts, OpIndex op) {
    return std::binary_search(parts.begin(), parts.end(), op);
  }

  // Returns the id under which RowAlignment knows a value that several fusions name differently.
  ir::ValueId Resolve(ir::ValueId id) const {
    for (auto it = alias_.find(id); it != alias_.end(); it = alias_.find(id)) id = it->second;
    return id;
  }

  // Whether the parts can be one row fusion.
  bool IsFusible(const std::vector<OpIndex>& parts, const RowSpace& space) const {
    RowAlignment alignment(function_, space);
    size_t count = 0;
    for (OpIndex part : parts) {
      for (const ir::Op* op : InnerOps(graph_.ops()[part])) {
        std::vector<ir::ValueId> operands;
        for (ir::ValueId id : op->operands) operands.push_back(Resolve(id));
        if (!alignment.AddOp(*op, operands) || ++count > kMaxInnerOps) return false;
      }
      if (OnlyMakesBlocks(part) && Contains(parts, graph_.UsersOf(part)[0])) continue;
      for (ir::ValueId id : graph_.ops()[part].results) {
        if (!alignment.AddPartResult(Resolve(id))) return false;
      }
    }
    return merger_.CanMerge(parts);
  }

  const ir::Function& function_;
  const RegionGraph graph_;
  PartMerger merger_;
  absl::flat_hash_set<ir::ValueId>& seeds_;  // results of the ops that were tried as seeds
  // Maps the parameters of a fusion's region to the fusion's operands, and the fusion's results to
  // the region's results.
  absl::flat_hash_map<ir::ValueId, ir::ValueId> alias_;
  // The ops that reduce blocks of a value or of a reshape of it, by that value.
  absl::flat_hash_map<ir::ValueId, std::vector<OpIndex>> block_readers_;
};

void FuseRegion(ir::Function& function, ir::Region& region, std::vector<OpIndex>& scratch) {
  for (ir::Op& op : region.ops) {
    if (!IsControlFlow(op.kind)) continue;
    for (ir::Region& inner : op.regions) FuseRegion(function, inner, scratch);
  }
  absl::flat_hash_set<ir::ValueId> seeds;
  while (true) {
    absl::optional<std::vector<ir::Op>> fused = RowFuser(function, region, scratch, seeds).Run();
    if (!fused.has_value()) return;
    region.ops = *std::move(fused);
  }
}

}  // namespace

absl::StatusOr<ir::Module> FuseRows(const ir::Module& module, const codegen::Target& target) {
  if (target.threads_per_unit() > 1) return module;
  ir::Module out = module;
  for (ir::Function& function : out.functions) {
    std::vector<OpIndex> scratch(function.value_types.size(), kNoOp);
    FuseRegion(function, function.body, scratch);
    function = Renumber(std::move(function));
  }
  return out;
}

}  // namespace acceld::compiler
