#include "server/compiler/spmd/partitioner.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/processes/process_groups.h"
#include "common/ir/processes/sharding.h"
#include "common/ir/verify/op_error.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/spmd/choose_axes.h"
#include "server/compiler/spmd/indexed_op.h"
#include "server/compiler/spmd/local_op.h"
#include "server/compiler/spmd/manual_region.h"
#include "server/compiler/spmd/neutral_element.h"
#include "server/compiler/spmd/parts/choose_parts.h"

namespace acceld::compiler::spmd {
namespace {

using ir::OpKind;
using ir::ValueId;

using Shardings = std::vector<std::optional<ir::Sharding>>;

bool Has(const Axes& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

}  // namespace

Partitioner::Partitioner(const ir::Module& module, const CanonicalMesh& mesh,
                         const std::vector<Layout>& layouts, const FactorRules& rules,
                         ir::FunctionBuilder& builder)
    : module_(module),
      source_(module.functions[0]),
      mesh_(mesh),
      layouts_(layouts),
      rules_(rules),
      builder_(builder) {}

absl::StatusOr<Layout> Partitioner::SignatureLayout(absl::string_view what, size_t number,
                                                    ValueId id, const Shardings& shardings) {
  // What the program leaves open is whole, not in parts.
  if (number >= shardings.size() || !shardings[number].has_value()) {
    return LayoutOf(id).WithoutParts();
  }
  const ir::TensorType& type = source_.TensorOf(id);
  Layout layout = mesh_.LayoutOf(*shardings[number], module_.meshes, type.rank());
  if (!Divides(type, layout, mesh_)) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " ", number, " is ", ir::Type(type).ToString(), ", which its sharding ",
        ir::ToString(*shardings[number], module_.meshes), " does not divide into equal shards"));
  }
  // The dimensions that the program leaves open may be divided further.
  const Axes reserved = ReservedAxes(*shardings[number]);
  for (size_t i = 0; i < shardings[number]->dimensions.size(); ++i) {
    if (shardings[number]->dimensions[i].is_closed) continue;
    Layout further = layout;
    further.dimensions[i] = LayoutOf(id).dimensions[i];
    const Axes& from = layout.dimensions[i];
    const Axes& to = further.dimensions[i];
    const bool extends =
        to.size() > from.size() && std::equal(from.begin(), from.end(), to.begin());
    const bool is_free =
        extends && std::none_of(to.begin() + static_cast<int64_t>(from.size()), to.end(),
                                [&](int axis) { return layout.Uses(axis) || Has(reserved, axis); });
    if (is_free && Divides(type, further, mesh_)) layout = std::move(further);
  }
  return layout;
}

Axes Partitioner::ReservedAxes(const ir::Sharding& sharding) const {
  const ir::Mesh& mesh = module_.meshes[static_cast<size_t>(sharding.mesh)];
  Axes axes = mesh_.AxesOf(sharding.replicated, mesh);
  const Axes unreduced = mesh_.AxesOf(sharding.unreduced, mesh);
  axes.insert(axes.end(), unreduced.begin(), unreduced.end());
  return axes;
}

absl::StatusOr<ir::Sharding> Partitioner::AddParameter(size_t number) {
  const ValueId id = source_.body.parameters[number];
  ACCELD_ASSIGN_OR_RETURN(const Layout layout,
                          SignatureLayout("parameter", number, id, source_.parameter_shardings));
  placed_[id] = {builder_.AddParameter(LocalType(id, layout)), layout};
  return mesh_.ToSharding(layout);
}

absl::StatusOr<ir::Sharding> Partitioner::AddResult(size_t number, std::vector<ValueId>& results) {
  const ValueId id = source_.body.results[number];
  ACCELD_ASSIGN_OR_RETURN(const Layout layout,
                          SignatureLayout("result", number, id, source_.result_shardings));
  results.push_back(Shard(id, layout));
  return mesh_.ToSharding(layout);
}

absl::Status Partitioner::Run(Exchange& exchange, ValueId replica, ValueId partition) {
  exchange_ = &exchange;
  replica_ = replica;
  partition_ = partition;
  return WriteRegion(source_.body);
}

ValueId Partitioner::Shard(ValueId id, const Layout& layout) {
  Placed& placed = placed_.at(id);
  if (placed.layout == layout) return placed.id;
  for (const auto& [other, shard] : placed.others) {
    if (other == layout) return shard;
  }
  const ValueId shard = exchange_->Reshard(placed.id, placed.layout, layout);
  placed.others.emplace_back(layout, shard);
  resharded_.push_back(id);
  return shard;
}

ValueId Partitioner::Whole(ValueId id) {
  return Shard(id, Layout::Replicated(source_.TensorOf(id).rank()));
}

void Partitioner::Place(ValueId id, ValueId local, const Layout& from) {
  const Layout& to = LayoutOf(id);
  placed_[id] = {exchange_->Reshard(local, from, to), to};
}

// Recurses, through WriteWhile and WriteBranches, as deep as regions nest, which the verifier has
// bounded.
absl::Status Partitioner::WriteRegion(const ir::Region& region) {
  for (const ir::Op& op : region.ops) {
    absl::Status status = WriteOp(op);
    if (status.ok()) status = exchange_->status();
    ACCELD_RETURN_IF_ERROR(ir::AtOp(status, op));
  }
  return absl::OkStatus();
}

Partitioner::RegionScope::~RegionScope() {
  std::vector<ValueId>& resharded = partitioner_.resharded_;
  for (; resharded.size() > num_before_; resharded.pop_back()) {
    partitioner_.placed_.at(resharded.back()).others.pop_back();
  }
}

absl::Status Partitioner::WriteOp(const ir::Op& op) {
  switch (op.kind) {
    case OpKind::kConstant:
      WriteConstant(op);
      return absl::OkStatus();
    case OpKind::kIota:
      WriteIota(op);
      return absl::OkStatus();
    case OpKind::kShardingConstraint:
      Place(op.results[0], placed_.at(op.operands[0]).id, placed_.at(op.operands[0]).layout);
      return absl::OkStatus();
    case OpKind::kShardingGroup:
      return absl::OkStatus();
    case OpKind::kReplicaId:
    case OpKind::kPartitionId:
      placed_[op.results[0]] = {op.kind == OpKind::kReplicaId ? replica_ : partition_,
                                Layout::Replicated(0)};
      return absl::OkStatus();
    case OpKind::kWhile:
      return WriteWhile(op);
    case OpKind::kCase:
    case OpKind::kIf:
      return WriteBranches(op);
    case OpKind::kManualComputation:
      return WriteManualComputation(op);
    case OpKind::kCustomCall:
      return ir::IsHostCallback(op) && manual_depth_ == 0 ? WriteHostCall(op) : WriteReplicated(op);
    case OpKind::kOptimizationBarrier: {
      std::vector<ValueId> operands;
      for (size_t i = 0; i < op.operands.size(); ++i) {
        operands.push_back(Shard(op.operands[i], LayoutOf(op.results[i])));
      }
      const std::vector<ir::Type> types = builder_.function().TypesOf(operands);
      const std::vector<ValueId> results = builder_.AddUnchecked(
          op.kind, std::move(operands), op.attributes, {}, types, op.location);
      for (size_t i = 0; i < results.size(); ++i) {
        placed_[op.results[i]] = {results[i], LayoutOf(op.results[i])};
      }
      return absl::OkStatus();
    }
    default:
      return WriteByRule(op);
  }
}

void Partitioner::WriteConstant(const ir::Op& op) {
  const ir::Literal& value = op.As<ir::ConstantAttributes>().value;
  const ValueId id = op.results[0];
  const Layout& layout = LayoutOf(id);
  if (value.is_splat()) {
    auto splat = ir::Literal::FromBytes(LocalType(id, layout), std::string(value.bytes()));
    if (splat.ok()) {
      placed_[id] = {builder_.Constant(*std::move(splat)), layout};
      return;
    }
  }
  Place(id, builder_.Constant(value), Layout::Replicated(value.type().rank()));
}

void Partitioner::WriteIota(const ir::Op& op) {
  const ValueId id = op.results[0];
  const Layout& layout = LayoutOf(id);
  const auto along = static_cast<size_t>(op.As<ir::IotaAttributes>().iota_dimension);
  const ir::TensorType type = LocalType(id, layout);
  ir::Emitter emit(builder_, op.location);
  if (layout.dimensions[along].empty()) {
    placed_[id] = {emit.Iota(type, static_cast<int64_t>(along)), layout};
  } else {
    // Counts in i64, so that each element is rounded once.
    const ir::TensorType wide{ir::DType::kI64, type.dims};
    const ValueId shard =
        emit.Convert(exchange_->ShardAlong(layout.dimensions[along]), ir::DType::kI64);
    const ValueId first = emit.Mul(shard, emit.Fill(shard, static_cast<double>(type.dims[along])));
    const ValueId index =
        emit.Add(emit.Iota(wide, static_cast<int64_t>(along)), emit.Broadcast(first, wide.dims));
    placed_[id] = {emit.Convert(index, type.dtype), layout};
  }
  exchange_->Note(emit.status());
}

absl::Status Partitioner::WriteWhile(const ir::Op& op) {
  std::vector<ValueId> operands;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    operands.push_back(Shard(op.operands[i], LayoutOf(op.results[i])));
  }
  const std::vector<ir::Type> types = builder_.function().TypesOf(operands);
  std::vector<ir::Region> regions;
  for (const ir::Region& region : op.regions) {
    const RegionScope scope(*this);
    const std::vector<ValueId> parameters = builder_.BeginRegion(types);
    for (size_t i = 0; i < parameters.size(); ++i) {
      placed_[region.parameters[i]] = {parameters[i], LayoutOf(op.results[i])};
    }
    ACCELD_RETURN_IF_ERROR(WriteRegion(region));
    std::vector<ValueId> results;
    const bool is_condition = regions.empty();
    for (size_t i = 0; i < region.results.size(); ++i) {
      results.push_back(is_condition ? Whole(region.results[i])
                                     : Shard(region.results[i], LayoutOf(op.results[i])));
    }
    regions.push_back(builder_.EndRegion(std::move(results)));
  }
  const std::vector<ValueId> results = builder_.AddUnchecked(
      op.kind, std::move(operands), op.attributes, std::move(regions), types, op.location);
  for (size_t i = 0; i < results.size(); ++i) {
    placed_[op.results[i]] = {results[i], LayoutOf(op.results[i])};
  }
  return absl::OkStatus();
}

absl::Status Partitioner::WriteBranches(const ir::Op& op) {
  const ValueId index = Whole(op.operands[0]);
  std::vector<ir::Region> regions;
  for (const ir::Region& region : op.regions) {
    const RegionScope scope(*this);
    builder_.BeginRegion({});
    ACCELD_RETURN_IF_ERROR(WriteRegion(region));
    std::vector<ValueId> results;
    for (size_t i = 0; i < region.results.size(); ++i) {
      results.push_back(Shard(region.results[i], LayoutOf(op.results[i])));
    }
    regions.push_back(builder_.EndRegion(std::move(results)));
  }
  std::vector<ir::Type> types;
  for (const ValueId id : op.results) types.emplace_back(LocalType(id, LayoutOf(id)));
  const std::vector<ValueId> results = builder_.AddUnchecked(
      op.kind, {index}, op.attributes, std::move(regions), types, op.location);
  for (size_t i = 0; i < results.size(); ++i) {
    placed_[op.results[i]] = {results[i], LayoutOf(op.results[i])};
  }
  return absl::OkStatus();
}

absl::Status Partitioner::WriteManualComputation(const ir::Op& op) {
  const Axes axes = ManualAxes(module_, op, mesh_);
  if (AreAllManual(manual_, axes, mesh_)) return CopyManualComputation(op);
  // Along the other axes the values inside are whole, and divided as those outside are.
  const auto& attributes = op.As<ir::ManualComputationAttributes>();
  const ir::Region& region = op.regions[0];
  const auto layout_outside = [&](const ir::Sharding& sharding, ValueId inside) {
    Layout layout = ManualLayout(module_, sharding, attributes.manual_axes,
                                 source_.TensorOf(inside).rank(), mesh_);
    for (size_t i = 0; i < layout.dimensions.size(); ++i) {
      const Axes& more = LayoutOf(inside).dimensions[i];
      layout.dimensions[i].insert(layout.dimensions[i].end(), more.begin(), more.end());
    }
    return layout;
  };
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const ValueId inside = region.parameters[i];
    placed_[inside] = {Shard(op.operands[i], layout_outside(attributes.in_shardings[i], inside)),
                       LayoutOf(inside)};
  }
  const size_t num_outside = manual_.size();
  manual_.insert(manual_.end(), axes.begin(), axes.end());
  ++manual_depth_;
  ACCELD_RETURN_IF_ERROR(WriteRegion(region));
  --manual_depth_;
  manual_.resize(num_outside);
  for (size_t i = 0; i < op.results.size(); ++i) {
    const ValueId inside = region.results[i];
    Place(op.results[i], Shard(inside, LayoutOf(inside)),
          layout_outside(attributes.out_shardings[i], inside));
  }
  return absl::OkStatus();
}

absl::Status Partitioner::CopyManualComputation(const ir::Op& op) {
  const auto& attributes = op.As<ir::ManualComputationAttributes>();
  const auto layout = [&](const ir::Sharding& sharding, ValueId id) {
    return ManualLayout(module_, sharding, attributes.manual_axes, source_.TensorOf(id).rank(),
                        mesh_);
  };
  absl::flat_hash_map<ValueId, ValueId> values;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const ValueId id = op.operands[i];
    const ir::Sharding& sharding = attributes.in_shardings[i];
    values[op.regions[0].parameters[i]] = Shard(id, layout(sharding, id));
  }
  ManualRegion copy(module_, source_, mesh_, builder_, *exchange_, replica_, partition_, values);
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ValueId> results, copy.Copy(op.regions[0]));
  for (size_t i = 0; i < results.size(); ++i) {
    Place(op.results[i], results[i], layout(attributes.out_shardings[i], op.results[i]));
  }
  return absl::OkStatus();
}

std::vector<ir::Region> Partitioner::CloneRegions(const ir::Op& op) {
  absl::flat_hash_map<ValueId, ValueId> values;
  const auto capture = [&](const std::vector<ValueId>& ids) {
    for (const ValueId id : ids) {
      if (placed_.contains(id) && !values.contains(id)) values[id] = Whole(id);
    }
  };
  for (const ir::Region& region : op.regions) {
    capture(region.results);
    ForEachOp(region, [&](const ir::Op& inner) {
      capture(inner.operands);
      for (const ir::Region& nested : inner.regions) capture(nested.results);
    });
  }
  std::vector<ir::Region> regions;
  for (const ir::Region& region : op.regions) {
    regions.push_back(builder_.CloneRegion(region, source_, values));
  }
  return regions;
}

absl::Status Partitioner::WriteReplicated(const ir::Op& op) {
  std::vector<ValueId> operands;
  for (const ValueId id : op.operands) operands.push_back(Whole(id));
  const std::vector<ValueId> results =
      builder_.AddUnchecked(op.kind, std::move(operands), op.attributes, CloneRegions(op),
                            source_.TypesOf(op.results), op.location);
  for (size_t i = 0; i < results.size(); ++i) {
    Place(op.results[i], results[i], Layout::Replicated(source_.TensorOf(op.results[i]).rank()));
  }
  return absl::OkStatus();
}

absl::Status Partitioner::WriteHostCall(const ir::Op& op) {
  if (ir::IsPartitionedHostCallback(op.As<ir::CustomCallAttributes>())) {
    std::vector<ValueId> shards;
    for (const ValueId id : op.operands) {
      shards.push_back(Shard(id, placed_.at(id).layout.WithoutParts()));
    }
    builder_.AddUnchecked(op.kind, std::move(shards), op.attributes, {}, {}, op.location);
    return absl::OkStatus();
  }
  std::vector<ValueId> operands;
  for (const ValueId id : op.operands) operands.push_back(Whole(id));
  const std::vector<ir::Type> types = source_.TypesOf(op.results);
  ir::Emitter emit(builder_, op.location);
  const ValueId is_first = emit.Compare(ir::ComparisonDirection::kEq, partition_,
                                        emit.Constant(emit.TypeOf(partition_), 0));
  std::vector<ir::Region> regions;
  builder_.BeginRegion({});
  regions.push_back(builder_.EndRegion(
      builder_.AddUnchecked(op.kind, std::move(operands), op.attributes, {}, types, op.location)));
  builder_.BeginRegion({});
  std::vector<ValueId> zeros;
  for (const ir::Type& type : types) zeros.push_back(emit.Constant(type.tensor(), 0));
  regions.push_back(builder_.EndRegion(std::move(zeros)));
  exchange_->Note(emit.status());
  const std::vector<ValueId> results = builder_.AddUnchecked(
      OpKind::kIf, {is_first}, ir::NoAttributes{}, std::move(regions), types, op.location);
  for (size_t i = 0; i < results.size(); ++i) {
    Place(op.results[i], exchange_->BroadcastFromFirst(results[i]),
          Layout::Replicated(types[i].tensor().rank()));
  }
  return absl::OkStatus();
}

Partitioner::PassedParts Partitioner::PartsToPass(const ir::Op& op) const {
  if (op.results.size() != 1) return {};
  const Layout& wanted = LayoutOf(op.results[0]);
  if (wanted.unreduced.empty()) return {};
  const PartsRule rule = rules_.PartsOf(op, wanted.combiner);
  PassedParts passed;
  for (const size_t i : rule.operands) {
    const Layout& has = placed_.at(op.operands[i]).layout;
    if (has.combiner != wanted.combiner) continue;
    Axes axes;
    std::set_intersection(has.unreduced.begin(), has.unreduced.end(), wanted.unreduced.begin(),
                          wanted.unreduced.end(), std::back_inserter(axes));
    if (axes.empty()) continue;
    // If there are two for an op that takes one, both are combined first.
    if (!rule.is_joint && !passed.operands.empty()) return {};
    passed.operands.push_back(i);
    for (const int axis : axes) {
      if (!Has(passed.axes, axis)) passed.axes.push_back(axis);
    }
  }
  if (rule.is_joint && !passed.axes.empty()) passed.operands = rule.operands;
  return passed;
}

FactorRule Partitioner::RuleOf(const ir::Op& op) const {
  if (ir::FamilyOf(op.kind) != ir::OpFamily::kCollective) return rules_.Of(op);
  absl::StatusOr<ir::ProcessGroups> groups = ir::ProcessGroups();
  if (op.kind == OpKind::kCollectivePermute) {
    const auto pairs = ir::ProcessPairsOf(op, module_.grid);
    if (!pairs.ok()) return FactorRule::Replicated(source_, op);
    for (const auto& [from, to] : *pairs) groups->push_back({from, to});
  } else {
    groups = ir::ProcessGroupsOf(op, module_.grid);
  }
  if (!groups.ok()) return FactorRule::Replicated(source_, op);
  for (int axis = 0; axis < mesh_.num_axes(); ++axis) {
    if (Has(manual_, axis)) continue;
    const int own[] = {axis};
    for (const std::vector<int64_t>& group : *groups) {
      for (const int64_t process : group) {
        const auto shard = [&](int64_t p) {
          return mesh_.ShardOf(own, p % mesh_.num_partitions());
        };
        if (shard(process) != shard(group[0])) return FactorRule::Replicated(source_, op);
      }
    }
  }
  return rules_.Of(op);
}

absl::Status Partitioner::WriteByRule(const ir::Op& op) {
  const FactorRule rule = RuleOf(op);
  const PassedParts passed = PartsToPass(op);
  AxesProblem problem{source_, op, rule, mesh_, {}, {}, passed.axes};
  for (const ValueId id : op.operands) problem.operands.push_back(placed_.at(id).layout);
  for (const ValueId id : op.results) problem.results.push_back(LayoutOf(id));
  const FactorAxes axes = ChooseAxes(problem);
  std::vector<Layout> operands, results;
  for (const DimensionFactors& factors : rule.operands) {
    operands.push_back(LayoutFor(factors, axes, rule, mesh_));
  }
  for (const size_t i : passed.operands) {
    operands[i] = operands[i].WithParts(passed.axes, LayoutOf(op.results[0]).combiner);
  }
  std::vector<ir::TensorType> types;
  for (size_t i = 0; i < op.results.size(); ++i) {
    results.push_back(LayoutFor(rule.results[i], axes, rule, mesh_));
    types.push_back(LocalType(op.results[i], results.back()));
  }
  Axes reduced;
  for (size_t i = 0; i < rule.factors.size(); ++i) {
    if (!rule.factors[i].is_reduction) continue;
    reduced.insert(reduced.end(), axes[i].begin(), axes[i].end());
  }
  const std::vector<ValueId> locals = WriteLocal(op, rule, operands, reduced, types);
  if (!passed.axes.empty()) {
    results[0] = results[0].WithParts(passed.axes, LayoutOf(op.results[0]).combiner);
  }
  if (!reduced.empty()) {
    reduced.insert(reduced.end(), passed.axes.begin(), passed.axes.end());
    results[0] = results[0].WithParts(reduced, CombinerOf(op));
  }
  for (size_t i = 0; i < locals.size(); ++i) Place(op.results[i], locals[i], results[i]);
  return absl::OkStatus();
}

std::vector<ValueId> Partitioner::WriteLocal(const ir::Op& op, const FactorRule& rule,
                                             const std::vector<Layout>& layouts,
                                             const Axes& reduced,
                                             const std::vector<ir::TensorType>& types) {
  std::vector<ValueId> operands;
  std::vector<ir::TensorType> operand_types;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    operands.push_back(Shard(op.operands[i], layouts[i]));
    operand_types.push_back(builder_.TypeOf(operands.back()).tensor());
  }
  ir::OpAttributes attributes = LocalAttributes(source_, op, operand_types, types);
  std::vector<ir::Region> regions = CloneRegions(op);
  const auto write = [&] {
    return builder_.AddUnchecked(op.kind, std::move(operands), std::move(attributes),
                                 std::move(regions),
                                 std::vector<ir::Type>(types.begin(), types.end()), op.location);
  };
  if (op.kind == OpKind::kReverse) {
    Axes reversed;
    for (const int64_t dimension : op.As<ir::DimensionsAttributes>().dimensions) {
      const Axes& more = layouts[0].dimensions[static_cast<size_t>(dimension)];
      reversed.insert(reversed.end(), more.begin(), more.end());
    }
    return {exchange_->Mirror(write()[0], reversed)};
  }
  if (op.kind != OpKind::kGather && op.kind != OpKind::kScatter) return write();
  const ir::TensorType& whole = source_.TensorOf(op.operands[0]);
  IndexedOp indexed(builder_, *exchange_, mesh_, op, rule, whole, layouts[0]);
  if (op.kind == OpKind::kGather) {
    operands[1] = indexed.Shift(operands[1]);
    return {indexed.Masked(write()[0])};
  }
  const size_t inputs = op.results.size();
  operands[inputs] = indexed.Shift(operands[inputs]);
  // Each process adds its updates to an operand of its own: the first one to the right one.
  if (!reduced.empty() && !IsIdempotent(*CombinerOf(op.regions[0]))) {
    operands[0] = exchange_->AsParts(operands[0], reduced);
  }
  return write();
}

}  // namespace acceld::compiler::spmd
