#include "server/compiler/spmd/collectives/collective_of.h"

#include "absl/strings/str_cat.h"
#include "common/ir/processes/process_groups.h"
#include "server/compiler/spmd/neutral_element.h"

namespace acceld::compiler::spmd {
namespace {

using ir::OpKind;
using kernels::Collective;
using Combiner = Collective::Combiner;

// `kind` is one that CombinerOf returns. For i1 the logical combiners stand for the others.
Combiner ToStepCombiner(OpKind kind, ir::DType dtype) {
  const bool is_bool = dtype == ir::DType::kI1;
  switch (kind) {
    case OpKind::kAdd:
      return is_bool ? Combiner::kOr : Combiner::kAdd;
    case OpKind::kMultiply:
      return is_bool ? Combiner::kAnd : Combiner::kMultiply;
    case OpKind::kMinimum:
      return is_bool ? Combiner::kAnd : Combiner::kMinimum;
    case OpKind::kMaximum:
      return is_bool ? Combiner::kOr : Combiner::kMaximum;
    case OpKind::kAnd:
      return Combiner::kAnd;
    case OpKind::kOr:
      return Combiner::kOr;
    default:
      return Combiner::kXor;
  }
}

absl::Status NoStep(absl::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat("no collective step does this: ", what,
                   "; the pass normalize-collectives, which replaces it, has been left out"));
}

// Sets the fields that are specific to the kind of the op.
absl::Status SetKind(const ir::Function& function, const ir::Op& op, Collective& collective) {
  const auto set_combiner = [&]() -> absl::Status {
    const absl::optional<Combiner> combiner = StepCombinerOf(function, op.regions[0]);
    if (!combiner.has_value()) return NoStep("its region is not one simple op");
    collective.combiner = *combiner;
    return absl::OkStatus();
  };
  switch (op.kind) {
    case OpKind::kAllGather:
      collective.kind = Collective::Kind::kAllGather;
      collective.dimension = op.As<ir::AllGatherAttributes>().all_gather_dim;
      return absl::OkStatus();
    case OpKind::kAllReduce:
      collective.kind = Collective::Kind::kAllReduce;
      return set_combiner();
    case OpKind::kAllToAll:
      collective.kind = Collective::Kind::kAllToAll;
      collective.dimension = op.As<ir::AllToAllAttributes>().split_dimension;
      collective.concat_dimension = op.As<ir::AllToAllAttributes>().concat_dimension;
      return absl::OkStatus();
    case OpKind::kCollectiveBroadcast:
      collective.kind = Collective::Kind::kBroadcast;
      if (op.As<ir::CollectiveBroadcastAttributes>().has_dynamic_root) {
        return NoStep("its root is an operand");
      }
      return absl::OkStatus();
    case OpKind::kCollectivePermute:
      collective.kind = Collective::Kind::kPermute;
      return absl::OkStatus();
    case OpKind::kReduceScatter:
      collective.kind = Collective::Kind::kReduceScatter;
      collective.dimension = op.As<ir::ReduceScatterAttributes>().scatter_dimension;
      return set_combiner();
    case OpKind::kCollectiveReduce:
      return NoStep("only the root gets the result");
    default:
      return absl::InternalError("the number of the process has not been replaced");
  }
}

absl::StatusOr<std::vector<std::vector<int64_t>>> GroupsOf(const ir::Op& op,
                                                           const ir::ProcessGrid& grid) {
  if (op.kind != OpKind::kCollectivePermute) return ir::ProcessGroupsOf(op, grid);
  ACCELD_ASSIGN_OR_RETURN(const auto pairs, ir::ProcessPairsOf(op, grid));
  std::vector<std::vector<int64_t>> groups;
  for (const auto& [source, target] : pairs) groups.push_back({source, target});
  return groups;
}

absl::StatusOr<Collective> Make(const ir::Function& function, const ir::Op& op,
                                const ir::ProcessGrid& grid) {
  Collective collective;
  ACCELD_RETURN_IF_ERROR(SetKind(function, op, collective));
  ACCELD_ASSIGN_OR_RETURN(collective.groups, GroupsOf(op, grid));
  for (ir::ValueId id : op.operands) collective.operands.push_back(function.TensorOf(id));
  for (ir::ValueId id : op.results) collective.results.push_back(function.TensorOf(id));
  for (size_t i = 0; i < collective.operands.size(); ++i) {
    if (collective.operands[i].dtype != collective.results[i].dtype) {
      return NoStep("it combines in another type");
    }
  }
  ACCELD_RETURN_IF_ERROR(kernels::CheckCollective(collective));
  return collective;
}

}  // namespace

absl::optional<Combiner> StepCombinerOf(const ir::Function& function, const ir::Region& region) {
  const absl::optional<OpKind> kind = CombinerOf(region);
  if (!kind.has_value()) return absl::nullopt;
  const ir::DType dtype = function.TensorOf(region.parameters[0]).dtype;
  const Combiner combiner = ToStepCombiner(*kind, dtype);
  if (!kernels::CanCombine(combiner, dtype)) return absl::nullopt;
  return combiner;
}

absl::StatusOr<Collective> CollectiveOf(const ir::Function& function, const ir::Op& op,
                                        const ir::ProcessGrid& grid) {
  absl::StatusOr<Collective> collective = Make(function, op, grid);
  if (!collective.ok()) return Annotate(collective.status(), NameOf(op.kind));
  return collective;
}

}  // namespace acceld::compiler::spmd
