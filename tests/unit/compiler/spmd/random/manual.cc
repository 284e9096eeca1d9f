#include <algorithm>
#include <utility>

#include "common/ir/processes/sharding.h"
#include "tests/unit/compiler/spmd/random/sharded_function.h"

// Manual computations and the collectives inside. The processes along axes that a result's sharding
// does not name must compute the same, so values have sets of axes along which they vary.
namespace acceld::compiler::spmd {

using ir::DType;
using ir::OpKind;

namespace {

// The axes of one mesh that the sharding divides dimensions along.
AxisSet AxesOf(const ir::Sharding& sharding) {
  AxisSet axes = 0;
  for (const ir::DimensionSharding& dimension : sharding.dimensions) {
    for (const ir::AxisRef& axis : dimension.axes) axes |= AxisSet{1} << axis.axis;
  }
  return axes;
}

std::vector<int64_t> ToList(AxisSet axes) {
  std::vector<int64_t> list;
  for (int64_t axis = 0; axis < 32; ++axis) {
    if (Contains(axes, axis)) list.push_back(axis);
  }
  return list;
}

}  // namespace

AxisSet ShardedFunction::FreeAxes() const { return AllAxesOf(mesh()) & ~manual_; }

// In each dimension the manual axes stand before the others.
ir::Sharding ShardedFunction::ManualSharding(const ir::Dims& dims, AxisSet manual) {
  ir::Sharding sharding =
      RandomSharding(dice_, context_.meshes, mesh_, dims, manual, /*divides=*/true);
  const AxisSet others = FreeAxes() & ~manual;
  if (others == 0 || !dice_.OneIn(3)) return sharding;
  const ir::Sharding more = RandomSharding(dice_, context_.meshes, mesh_, dims, others, false);
  for (size_t i = 0; i < dims.size(); ++i) {
    auto& axes = sharding.dimensions[i].axes;
    axes.insert(axes.end(), more.dimensions[i].axes.begin(), more.dimensions[i].axes.end());
  }
  return sharding;
}

// The sharding of a result, and its type outside. What may vary along axes that the sharding does
// not get is made equal.
ShardedFunction::Value ShardedFunction::ManualResult(const Value& v, AxisSet axes,
                                                     ir::Sharding& sharding,
                                                     ir::TensorType& whole) {
  whole = TypeOf(v);
  sharding = {.mesh = mesh_};
  sharding.dimensions.resize(whole.dims.size());
  AxisSet equal = 0;
  for (const int64_t axis : ToList(axes)) {
    const bool varies = Contains(v.varies, axis);
    const int64_t size = mesh().axes[static_cast<size_t>(axis)].size;
    const bool fits = whole.rank() > 0 && whole.num_elements() * size <= 600;
    if (fits && !dice_.OneIn(varies ? 4 : 2)) {
      const auto d = static_cast<size_t>(dice_.Below(whole.rank()));
      sharding.dimensions[d].axes.push_back({.axis = axis});
      whole.dims[d] *= size;
    } else if (varies) {
      equal |= AxisSet{1} << axis;
    }
  }
  return MadeEqual(v, equal);
}

// All processes along the axes get the value of the first, or the largest one.
ShardedFunction::Value ShardedFunction::MadeEqual(const Value& v, AxisSet axes) {
  if (axes == 0) return v;
  Value equal = v;
  equal.varies &= ~axes;
  ir::TensorType type = TypeOf(v);
  if (!ir::IsComplex(type.dtype) && dice_.OneIn(2)) {
    ir::AllReduceAttributes attributes;
    attributes.replica_groups = GroupMatrix(axes);
    attributes.channel_handle = ir::ChannelHandle{1, 1};
    attributes.use_global_device_ids = true;
    std::vector<ir::Region> regions;
    regions.push_back(Combiner(OpKind::kMaximum, type.dtype));
    const auto results = b_.Add(OpKind::kAllReduce, {v.id}, attributes, std::move(regions));
    if (results.ok()) equal.id = results->front();
    return equal;
  }
  ir::CollectiveBroadcastAttributes attributes;
  attributes.replica_groups = GroupMatrix(axes);
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  const auto id = Make(OpKind::kCollectiveBroadcast, {v}, attributes);
  if (id.ok()) equal.id = *id;
  return equal;
}

// Adds values of the scope as operands, and the region's parameters as values inside.
ShardedFunction::Values ShardedFunction::BeginManual(AxisSet axes, std::vector<ir::ValueId>& ids,
                                                     ir::ManualComputationAttributes& attributes) {
  std::vector<ir::Type> parameters;
  Values inside;
  for (int64_t i = dice_.Between(1, 3); i > 0; --i) {
    Value v = AnyValue();
    const ir::Sharding sharding = ManualSharding(TypeOf(v).dims, axes);
    const auto shard = ir::ShardType(TypeOf(v), sharding, mesh(), attributes.manual_axes);
    if (!shard.ok()) continue;
    ids.push_back(v.id);
    parameters.emplace_back(*shard);
    attributes.in_shardings.push_back(sharding);
    v.varies |= AxesOf(sharding) & axes;
    inside.push_back(v);
  }
  const std::vector<ir::ValueId> shards = b_.BeginRegion(parameters);
  for (size_t i = 0; i < shards.size(); ++i) inside[i].id = shards[i];
  return inside;
}

void ShardedFunction::TryManual() {
  if (context_.has_replicas) return;
  if (depth_ >= kMaxDepth || place_ == Place::kAnywhere || !may_exchange_) return;
  const bool was_manual = is_manual_;
  if (!was_manual) mesh_ = dice_.Below(static_cast<int64_t>(context_.meshes.size()));
  AxisSet axes = FreeAxes();
  if (was_manual && axes == 0) return;
  if (dice_.OneIn(2)) axes &= static_cast<AxisSet>(dice_.Below(int64_t{1} << 16));
  std::vector<ir::ValueId> ids;
  ir::ManualComputationAttributes attributes{
      .in_shardings = {}, .out_shardings = {}, .manual_axes = ToList(axes)};
  Values inside = BeginManual(axes, ids, attributes);
  std::swap(scope_, inside);
  is_manual_ = true;
  manual_ |= axes;
  ++depth_;
  for (int64_t i = dice_.Between(1, 6); i > 0; --i) Step();
  std::vector<ir::ValueId> results;
  std::vector<ir::Type> wholes;
  Values outside;
  for (int64_t i = dice_.Between(1, 2); i > 0; --i) {
    ir::TensorType whole;
    Value v = ManualResult(AnyValue(), axes, attributes.out_shardings.emplace_back(), whole);
    results.push_back(v.id);
    wholes.emplace_back(whole);
    v.varies &= ~axes;
    outside.push_back(v);
  }
  --depth_;
  manual_ &= ~axes;
  is_manual_ = was_manual;
  std::swap(scope_, inside);
  std::vector<ir::Region> regions;
  regions.push_back(b_.EndRegion(results));
  const auto added =
      b_.Add(OpKind::kManualComputation, ids, std::move(attributes), std::move(regions), wholes);
  if (!added.ok()) return;
  for (size_t i = 0; i < outside.size(); ++i) {
    outside[i].id = (*added)[i];
    Keep(outside[i]);
  }
}

}  // namespace acceld::compiler::spmd
