#include "common/ir/processes/single_process.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/ir/builder.h"
#include "common/ir/processes/process_groups.h"
#include "common/ir/verify/op_error.h"

namespace acceld::ir {
namespace {

constexpr ProcessGrid kOneProcess;

bool Concerns(const Op& op) {
  const OpFamily family = FamilyOf(op.kind);
  return family == OpFamily::kCollective || family == OpFamily::kSharding;
}

// The functions below recurse as deep as regions nest, which the reader has bounded.
bool Concerns(const Region& region) {
  return std::any_of(region.ops.begin(), region.ops.end(), [](const Op& op) {
    return Concerns(op) || std::any_of(op.regions.begin(), op.regions.end(),
                                       [](const Region& inner) { return Concerns(inner); });
  });
}

bool HasShardings(const Function& function) {
  return !function.parameter_shardings.empty() || !function.result_shardings.empty();
}

// Copies a function without the ops that concern several processes.
class SingleProcessCopy {
 public:
  SingleProcessCopy(const Function& source, absl::Span<const Mesh> meshes)
      : source_(source), meshes_(meshes), builder_(source.name, source.is_public) {}

  absl::StatusOr<Function> Run() {
    for (const ValueId id : source_.body.parameters) {
      values_[id] = builder_.AddParameter(source_.TypeOf(id));
    }
    ACCELD_RETURN_IF_ERROR(CopyOps(source_.body));
    Function copy = builder_.Finish(Mapped(source_.body.results));
    copy.donations = source_.donations;
    return copy;
  }

 private:
  std::vector<ValueId> Mapped(const std::vector<ValueId>& ids) const {
    std::vector<ValueId> mapped;
    mapped.reserve(ids.size());
    for (const ValueId id : ids) mapped.push_back(values_.at(id));
    return mapped;
  }

  void Bind(const std::vector<ValueId>& results, const std::vector<ValueId>& values) {
    for (size_t i = 0; i < results.size(); ++i) values_[results[i]] = values[i];
  }

  absl::Status CopyOps(const Region& region) {
    for (const Op& op : region.ops) ACCELD_RETURN_IF_ERROR(AtOp(Copy(op), op));
    return absl::OkStatus();
  }

  absl::Status Copy(const Op& op) {
    if (Concerns(op)) return Replace(op);
    std::vector<Region> regions;
    for (const Region& region : op.regions) {
      const std::vector<ValueId> parameters =
          builder_.BeginRegion(source_.TypesOf(region.parameters));
      Bind(region.parameters, parameters);
      ACCELD_RETURN_IF_ERROR(CopyOps(region));
      regions.push_back(builder_.EndRegion(Mapped(region.results)));
    }
    Bind(op.results,
         builder_.AddUnchecked(op.kind, Mapped(op.operands), op.attributes, std::move(regions),
                               source_.TypesOf(op.results), op.location));
    return absl::OkStatus();
  }

  absl::Status Replace(const Op& op) {
    switch (op.kind) {
      case OpKind::kPartitionId:
      case OpKind::kReplicaId:
        values_[op.results[0]] = builder_.Constant(Literal::Zeros({DType::kUI32, {}}));
        return absl::OkStatus();
      case OpKind::kShardingGroup:
        return absl::OkStatus();
      case OpKind::kShardingConstraint:
        Bind(op.results, Mapped(op.operands));
        return absl::OkStatus();
      case OpKind::kManualComputation: {
        ACCELD_RETURN_IF_ERROR(CheckManualComputation(op));
        const Region& region = op.regions[0];
        Bind(region.parameters, Mapped(op.operands));
        ACCELD_RETURN_IF_ERROR(CopyOps(region));
        Bind(op.results, Mapped(region.results));
        return absl::OkStatus();
      }
      case OpKind::kCollectivePermute:
        return ReplacePermute(op);
      default:
        return ReplaceExchange(op);
    }
  }

  // Checks that the shards of the values are the whole values.
  absl::Status CheckManualComputation(const Op& op) {
    const auto& attributes = op.As<ManualComputationAttributes>();
    for (const auto* shardings : {&attributes.in_shardings, &attributes.out_shardings}) {
      for (const Sharding& sharding : *shardings) {
        const Mesh& mesh = meshes_[static_cast<size_t>(sharding.mesh)];
        if (NumDevices(mesh) == 1) continue;
        return Explain(op,
                       absl::InvalidArgumentError(absl::StrCat("it is for the ", NumDevices(mesh),
                                                               " devices of mesh @", mesh.name)));
      }
    }
    const Region& region = op.regions[0];
    if (source_.TypesOf(op.operands) == source_.TypesOf(region.parameters) &&
        source_.TypesOf(op.results) == source_.TypesOf(region.results)) {
      return absl::OkStatus();
    }
    return Explain(
        op, absl::InvalidArgumentError(absl::StrCat(
                "it is of (", ToString(source_.TypesOf(op.operands)), "), its region takes (",
                ToString(source_.TypesOf(region.parameters)), ")")));
  }

  absl::Status ReplacePermute(const Op& op) {
    const auto pairs = ProcessPairsOf(op, kOneProcess);
    ACCELD_RETURN_IF_ERROR(Explain(op, pairs.status()));
    if (!pairs->empty()) {
      Bind(op.results, Mapped(op.operands));
      return absl::OkStatus();
    }
    // No process sends a value to this one.
    const Type& type = source_.TypeOf(op.results[0]);
    if (!type.tensor().IsStatic()) {
      return absl::UnimplementedError(absl::StrCat("op '", NameOf(op.kind), "' without pairs of a ",
                                                   type.ToString(), ", whose size is not known"));
    }
    const ValueId zero = builder_.Constant(Literal::Zeros({type.tensor().dtype, {}}));
    Bind(op.results,
         builder_.AddUnchecked(OpKind::kBroadcastInDim, {zero}, BroadcastInDimAttributes{}, {},
                               {&type, 1}, op.location));
    return absl::OkStatus();
  }

  // The only process of a group gets its own values, in the type in which they are combined. A last
  // operand that numbers the root is left out.
  absl::Status ReplaceExchange(const Op& op) {
    ACCELD_RETURN_IF_ERROR(Explain(op, ProcessGroupsOf(op, kOneProcess).status()));
    for (size_t i = 0; i < op.results.size(); ++i) {
      const Type& type = source_.TypeOf(op.results[i]);
      const ValueId operand = values_.at(op.operands[i]);
      const TensorType& from = source_.TensorOf(op.operands[i]);
      if (from.dims != type.tensor().dims) {
        return Explain(op, absl::InvalidArgumentError(absl::StrCat(
                               "it makes a ", type.ToString(), " of a ", Type(from).ToString())));
      }
      values_[op.results[i]] =
          from.dtype == type.tensor().dtype
              ? operand
              : builder_.AddUnchecked(OpKind::kConvert, {operand}, NoAttributes{}, {}, {&type, 1},
                                      op.location)[0];
    }
    return absl::OkStatus();
  }

  static absl::Status Explain(const Op& op, const absl::Status& status) {
    if (status.ok()) return status;
    return absl::Status(
        status.code(),
        absl::StrCat("op '", NameOf(op.kind), "': ", status.message(),
                     "; the program has one process (mhlo.num_replicas and mhlo.num_partitions "
                     "are 1)"));
  }

  const Function& source_;
  const absl::Span<const Mesh> meshes_;
  FunctionBuilder builder_;
  absl::flat_hash_map<ValueId, ValueId> values_;
};

}  // namespace

absl::StatusOr<Module> ForSingleProcess(Module module) {
  for (Function& function : module.functions) {
    function.parameter_shardings.clear();
    function.result_shardings.clear();
    if (!Concerns(function.body)) continue;
    auto copy = SingleProcessCopy(function, module.meshes).Run();
    if (!copy.ok()) return Annotate(copy.status(), absl::StrCat("@", function.name));
    function = *std::move(copy);
  }
  module.meshes.clear();
  return module;
}

bool ConcernsProcesses(const Module& module) {
  return std::any_of(
      module.functions.begin(), module.functions.end(),
      [](const Function& function) { return HasShardings(function) || Concerns(function.body); });
}

}  // namespace acceld::ir
