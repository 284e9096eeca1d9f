#include "common/ir/processes/verify_processes.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/ir/calls/call_graph.h"
#include "common/ir/processes/process_groups.h"
#include "common/ir/processes/sharding.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/op_error.h"
#include "common/utf8.h"

namespace acceld::ir {
namespace {

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// Whether a region has ops that say how values are distributed.
bool HasShardings(const Region& region) {
  return std::any_of(region.ops.begin(), region.ops.end(), [](const Op& op) {
    return FamilyOf(op.kind) == OpFamily::kSharding ||
           std::any_of(op.regions.begin(), op.regions.end(),
                       [](const Region& inner) { return HasShardings(inner); });
  });
}

// Finds functions with collectives outside of manual computations, directly or in a function that
// they call there. Recurses as deep as calls and regions nest, which the verifier has bounded.
class CollectiveFinder {
 public:
  explicit CollectiveFinder(const Module& module) : module_(module) {}

  bool HasCollectives(const Function& function) {
    const auto [entry, is_new] = known_.emplace(function.name, false);
    if (is_new) {
      const bool has = HasCollectives(function.body);
      known_[function.name] = has;
      return has;
    }
    return entry->second;
  }

 private:
  bool HasCollectives(const Region& region) {
    return std::any_of(region.ops.begin(), region.ops.end(), [&](const Op& op) {
      if (FamilyOf(op.kind) == OpFamily::kCollective) return true;
      if (op.kind == OpKind::kManualComputation) return false;
      const std::string* callee = CalleeOf(op);
      const Function* called = callee == nullptr ? nullptr : module_.Find(*callee);
      return (called != nullptr && HasCollectives(*called)) ||
             std::any_of(op.regions.begin(), op.regions.end(),
                         [&](const Region& inner) { return HasCollectives(inner); });
    });
  }

  const Module& module_;
  absl::flat_hash_map<std::string, bool> known_;
};

// Returns a value that the region uses and does not define; nullopt if there is none. Adds the
// values that it defines to `defined`.
absl::optional<ValueId> CaptureOf(const Region& region, absl::flat_hash_set<ValueId>& defined) {
  const auto find_outer = [&](const std::vector<ValueId>& ids) -> absl::optional<ValueId> {
    const auto is_outer = [&](ValueId id) { return !defined.contains(id); };
    const auto outer = std::find_if(ids.begin(), ids.end(), is_outer);
    return outer == ids.end() ? absl::nullopt : absl::make_optional(*outer);
  };
  defined.insert(region.parameters.begin(), region.parameters.end());
  for (const Op& op : region.ops) {
    absl::optional<ValueId> outer = find_outer(op.operands);
    for (const Region& inner : op.regions) {
      if (!outer.has_value()) outer = CaptureOf(inner, defined);
    }
    if (outer.has_value()) return outer;
    defined.insert(op.results.begin(), op.results.end());
  }
  return find_outer(region.results);
}

// Checks the ops of one function that concern processes. Recurses as deep as regions nest, which
// the verifier has bounded.
class FunctionChecker {
 public:
  FunctionChecker(const Module& module, const Function& function)
      : module_(module), function_(function) {}

  absl::Status Run() {
    ACCELD_RETURN_IF_ERROR(
        CheckSignature("parameter", function_.body.parameters, function_.parameter_shardings));
    ACCELD_RETURN_IF_ERROR(
        CheckSignature("result", function_.body.results, function_.result_shardings));
    return CheckRegion(function_.body);
  }

 private:
  absl::Status CheckSignature(absl::string_view what, const std::vector<ValueId>& ids,
                              const std::vector<std::optional<Sharding>>& shardings) {
    if (shardings.empty()) return absl::OkStatus();
    if (shardings.size() != ids.size()) {
      return Refuse(shardings.size(), " shardings of ", ids.size(), " ", what, "s");
    }
    for (size_t i = 0; i < ids.size(); ++i) {
      if (!shardings[i].has_value()) continue;
      ACCELD_RETURN_IF_ERROR(
          Annotate(CheckSharding(*shardings[i], function_.TypeOf(ids[i]), module_.meshes),
                   absl::StrCat(what, " ", i)));
    }
    return absl::OkStatus();
  }

  absl::Status CheckRegion(const Region& region) {
    for (const Op& op : region.ops) {
      ACCELD_RETURN_IF_ERROR(AtOp(Annotate(CheckOp(op), NameOf(op.kind)), op));
      for (const Region& inner : op.regions) ACCELD_RETURN_IF_ERROR(CheckRegion(inner));
    }
    return absl::OkStatus();
  }

  absl::Status CheckOp(const Op& op) {
    switch (op.kind) {
      case OpKind::kShardingConstraint:
        return CheckSharding(op.As<ShardingConstraintAttributes>().sharding,
                             function_.TypeOf(op.results[0]), module_.meshes);
      case OpKind::kManualComputation:
        return CheckManualComputation(op);
      case OpKind::kCollectivePermute:
        return ProcessPairsOf(op, module_.grid).status();
      case OpKind::kAllGather:
      case OpKind::kAllReduce:
      case OpKind::kAllToAll:
      case OpKind::kCollectiveBroadcast:
      case OpKind::kCollectiveReduce:
      case OpKind::kReduceScatter:
        return CheckGroups(op);
      default:
        return absl::OkStatus();
    }
  }

  absl::Status CheckManualComputation(const Op& op) {
    const auto& attributes = op.As<ManualComputationAttributes>();
    const Region& region = op.regions[0];
    absl::flat_hash_set<ValueId> defined;
    if (const absl::optional<ValueId> outer = CaptureOf(region, defined)) {
      return Refuse("its region uses value ", *outer,
                    ", which lies outside; it can use its own values only");
    }
    ACCELD_RETURN_IF_ERROR(CheckShards("operand", attributes, attributes.in_shardings, op.operands,
                                       region.parameters));
    return CheckShards("result", attributes, attributes.out_shardings, op.results, region.results);
  }

  // Checks that the shards of `wholes` along the manual axes have the types of `parts`.
  absl::Status CheckShards(absl::string_view what, const ManualComputationAttributes& attributes,
                           const std::vector<Sharding>& shardings,
                           const std::vector<ValueId>& wholes, const std::vector<ValueId>& parts) {
    for (size_t i = 0; i < wholes.size(); ++i) {
      const Type& whole = function_.TypeOf(wholes[i]);
      const Type& part = function_.TypeOf(parts[i]);
      const std::string where = absl::StrCat(what, " ", i);
      ACCELD_RETURN_IF_ERROR(Annotate(CheckSharding(shardings[i], whole, module_.meshes), where));
      const Mesh& mesh = module_.meshes[static_cast<size_t>(shardings[i].mesh)];
      for (const int64_t axis : attributes.manual_axes) {
        if (axis < 0 || axis >= static_cast<int64_t>(mesh.axes.size())) {
          return Refuse("manual axis ", axis, " of mesh @", mesh.name, ", which has ",
                        mesh.axes.size());
        }
      }
      if (!whole.IsTensor() || !part.IsTensor()) {
        if (whole == part) continue;
        return Refuse(where, " is ", whole.ToString(), " outside and ", part.ToString(), " inside");
      }
      ACCELD_ASSIGN_OR_RETURN(const TensorType shard, ShardType(whole.tensor(), shardings[i], mesh,
                                                                attributes.manual_axes));
      if (IsCompatible(Type(shard), part)) continue;
      return Refuse(where, " is ", whole.ToString(), ", a shard of it with sharding ",
                    ToString(shardings[i], module_.meshes), " is ", Type(shard).ToString(),
                    ", but inside it is ", part.ToString());
    }
    return absl::OkStatus();
  }

  absl::Status CheckGroups(const Op& op) {
    ACCELD_ASSIGN_OR_RETURN(const ProcessGroups groups, ProcessGroupsOf(op, module_.grid));
    if (groups.empty()) return absl::OkStatus();
    const auto size = static_cast<int64_t>(groups[0].size());
    if (op.kind == OpKind::kAllToAll) {
      const int64_t split_count = op.As<AllToAllAttributes>().split_count;
      if (split_count == size) return absl::OkStatus();
      return Refuse("split_count is ", split_count, ", expected ", size,
                    ", the size of each group");
    }
    if (op.kind == OpKind::kAllGather) {
      return CheckSizes(op, op.As<AllGatherAttributes>().all_gather_dim, size, op.operands,
                        op.results);
    }
    if (op.kind == OpKind::kReduceScatter) {
      return CheckSizes(op, op.As<ReduceScatterAttributes>().scatter_dimension, size, op.results,
                        op.operands);
    }
    return absl::OkStatus();
  }

  // Checks that the dimension of each of `wholes` is `count` times as large as that of `parts`.
  absl::Status CheckSizes(const Op& op, int64_t dimension, int64_t count,
                          const std::vector<ValueId>& parts, const std::vector<ValueId>& wholes) {
    for (size_t i = 0; i < op.results.size(); ++i) {
      const int64_t part = function_.TensorOf(parts[i]).dims[static_cast<size_t>(dimension)];
      const int64_t whole = function_.TensorOf(wholes[i]).dims[static_cast<size_t>(dimension)];
      if (part == kDynamicDim || whole == kDynamicDim || whole == part * count) continue;
      return Refuse("dimension ", dimension, " has ", part, " elements in one process and ", whole,
                    " in a group of ", count);
    }
    return absl::OkStatus();
  }

  const Module& module_;
  const Function& function_;
};

absl::Status CheckMeshes(const Module& module) {
  if (static_cast<int64_t>(module.meshes.size()) > limits::kMaxMeshes) {
    return Refuse(module.meshes.size(), " meshes, above the limit of ", limits::kMaxMeshes);
  }
  absl::flat_hash_set<absl::string_view> names;
  for (const Mesh& mesh : module.meshes) {
    if (!names.insert(mesh.name).second) return Refuse("two meshes are named @", mesh.name);
    for (const MeshAxis& axis : mesh.axes) {
      if (!IsUtf8(axis.name)) return Refuse("the name of a mesh's axis is not UTF-8");
    }
    if (!IsUtf8(mesh.name)) return Refuse("the name of a mesh is not UTF-8");
    ACCELD_RETURN_IF_ERROR(CheckMesh(mesh, module.grid.num_partitions));
  }
  return absl::OkStatus();
}

bool HasShardings(const Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(), [](const Function& f) {
    return !f.parameter_shardings.empty() || !f.result_shardings.empty() || HasShardings(f.body);
  });
}

}  // namespace

bool IsLocal(const Module& module) {
  CollectiveFinder finder(module);
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [&](const Function& f) { return f.is_public && finder.HasCollectives(f); });
}

absl::Status VerifyProcesses(const Module& module) {
  const ProcessGrid& grid = module.grid;
  const auto is_within = [](int64_t count) { return count >= 1 && count <= limits::kMaxProcesses; };
  if (!is_within(grid.num_replicas) || !is_within(grid.num_partitions) || !is_within(grid.size())) {
    return Refuse(grid.num_replicas, " replicas and ", grid.num_partitions,
                  " partitions, expected 1 to ", limits::kMaxProcesses, " processes");
  }
  ACCELD_RETURN_IF_ERROR(CheckMeshes(module));
  if (grid.size() == 1) return absl::OkStatus();
  if (IsLocal(module) && HasShardings(module)) {
    return Refuse(
        "the program has collectives (or asks for the number of its process) outside of "
        "sdy.manual_computation, but also shardings: it computes on whole values or on those of "
        "one "
        "process, not both");
  }
  for (const Function& function : module.functions) {
    ACCELD_RETURN_IF_ERROR(
        Annotate(FunctionChecker(module, function).Run(), absl::StrCat("@", function.name)));
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir
