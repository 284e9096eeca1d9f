#include "server/compiler/spmd/manual_region.h"

#include <algorithm>
#include <utility>

namespace acceld::compiler::spmd {

using ir::OpKind;
using ir::ValueId;

namespace {

void KeepManual(std::vector<ir::AxisRef>& axes, const std::vector<int64_t>& manual_axes) {
  std::erase_if(axes, [&](const ir::AxisRef& axis) {
    return std::find(manual_axes.begin(), manual_axes.end(), axis.axis) == manual_axes.end();
  });
}

}  // namespace

Layout ManualLayout(const ir::Module& module, const ir::Sharding& sharding,
                    const std::vector<int64_t>& manual_axes, int64_t rank,
                    const CanonicalMesh& mesh) {
  ir::Sharding manual = sharding;
  for (ir::DimensionSharding& dimension : manual.dimensions) {
    KeepManual(dimension.axes, manual_axes);
  }
  KeepManual(manual.unreduced, manual_axes);
  return mesh.LayoutOf(manual, module.meshes, rank);
}

Axes ManualAxes(const ir::Module& module, const ir::Op& op, const CanonicalMesh& mesh) {
  const auto& attributes = op.As<ir::ManualComputationAttributes>();
  std::vector<ir::AxisRef> manual;
  for (const int64_t axis : attributes.manual_axes) manual.push_back({.axis = axis});
  Axes axes;
  for (const auto* shardings : {&attributes.in_shardings, &attributes.out_shardings}) {
    for (const ir::Sharding& sharding : *shardings) {
      const Axes more = mesh.AxesOf(manual, module.meshes[static_cast<size_t>(sharding.mesh)]);
      axes.insert(axes.end(), more.begin(), more.end());
    }
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

bool AreAllManual(const Axes& outside, const Axes& axes, const CanonicalMesh& mesh) {
  for (int axis = 0; axis < mesh.num_axes(); ++axis) {
    const bool is_manual = std::find(outside.begin(), outside.end(), axis) != outside.end() ||
                           std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (!is_manual) return false;
  }
  return true;
}

ManualRegion::ManualRegion(const ir::Module& module, const ir::Function& source,
                           const CanonicalMesh& mesh, ir::FunctionBuilder& builder,
                           Exchange& exchange, ValueId replica, ValueId partition,
                           absl::flat_hash_map<ValueId, ValueId>& values)
    : module_(module),
      source_(source),
      mesh_(mesh),
      builder_(builder),
      exchange_(exchange),
      replica_(replica),
      partition_(partition),
      values_(values) {}

std::vector<ValueId> ManualRegion::Mapped(const std::vector<ValueId>& ids) const {
  std::vector<ValueId> mapped;
  mapped.reserve(ids.size());
  for (const ValueId id : ids) mapped.push_back(values_.at(id));
  return mapped;
}

// Recurses as deep as regions nest, which the verifier has bounded.
absl::StatusOr<std::vector<ValueId>> ManualRegion::Copy(const ir::Region& region) {
  for (const ir::Op& op : region.ops) ACCELD_RETURN_IF_ERROR(CopyOp(op));
  return Mapped(region.results);
}

absl::Status ManualRegion::CopyOp(const ir::Op& op) {
  switch (op.kind) {
    case OpKind::kReplicaId:
      values_[op.results[0]] = replica_;
      return absl::OkStatus();
    case OpKind::kPartitionId:
      values_[op.results[0]] = partition_;
      return absl::OkStatus();
    case OpKind::kShardingGroup:
      return absl::OkStatus();
    case OpKind::kShardingConstraint:
      values_[op.results[0]] = values_.at(op.operands[0]);
      return absl::OkStatus();
    case OpKind::kManualComputation:
      return CopyManualComputation(op);
    default:
      break;
  }
  std::vector<ir::Region> regions;
  for (const ir::Region& region : op.regions) {
    const std::vector<ValueId> parameters =
        builder_.BeginRegion(source_.TypesOf(region.parameters));
    for (size_t i = 0; i < parameters.size(); ++i) values_[region.parameters[i]] = parameters[i];
    ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, Copy(region));
    regions.push_back(builder_.EndRegion(std::move(results)));
  }
  const std::vector<ValueId> results =
      builder_.AddUnchecked(op.kind, Mapped(op.operands), op.attributes, std::move(regions),
                            source_.TypesOf(op.results), op.location);
  for (size_t i = 0; i < results.size(); ++i) values_[op.results[i]] = results[i];
  return absl::OkStatus();
}

// Its operands are whole along its manual axes, as the axes around it are others.
absl::Status ManualRegion::CopyManualComputation(const ir::Op& op) {
  const auto& attributes = op.As<ir::ManualComputationAttributes>();
  const ir::Region& region = op.regions[0];
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const int64_t rank = source_.TensorOf(op.operands[i]).rank();
    const ir::Sharding& sharding = attributes.in_shardings[i];
    values_[region.parameters[i]] =
        exchange_.Reshard(values_.at(op.operands[i]), Layout::Replicated(rank),
                          ManualLayout(module_, sharding, attributes.manual_axes, rank, mesh_));
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ValueId> results, Copy(region));
  for (size_t i = 0; i < results.size(); ++i) {
    const int64_t rank = source_.TensorOf(op.results[i]).rank();
    const ir::Sharding& sharding = attributes.out_shardings[i];
    values_[op.results[i]] = exchange_.Reshard(
        results[i], ManualLayout(module_, sharding, attributes.manual_axes, rank, mesh_),
        Layout::Replicated(rank));
  }
  return exchange_.status();
}

}  // namespace acceld::compiler::spmd
