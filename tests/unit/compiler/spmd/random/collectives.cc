#include <algorithm>
#include <map>
#include <utility>

#include "tests/unit/compiler/spmd/random/sharded_function.h"

// Collectives between the processes of a manual computation.
namespace acceld::compiler::spmd {

using ir::DType;
using ir::OpKind;

namespace {

int64_t SizeOf(const std::vector<std::vector<int64_t>>& groups) {
  return static_cast<int64_t>(groups[0].size());
}

}  // namespace

// Groups of the partitions that differ along the axes only.
std::vector<std::vector<int64_t>> ShardedFunction::GroupsAlong(AxisSet axes) const {
  std::map<std::vector<int64_t>, std::vector<int64_t>> groups;
  const int64_t count = ir::NumDevices(mesh());
  for (int64_t partition = 0; partition < count; ++partition) {
    std::vector<int64_t> position = ir::PositionOf(mesh(), partition);
    for (size_t axis = 0; axis < position.size(); ++axis) {
      if (Contains(axes, static_cast<int64_t>(axis))) position[axis] = 0;
    }
    groups[position].push_back(partition);
  }
  std::vector<std::vector<int64_t>> list;
  for (const auto& [position, group] : groups) list.push_back(group);
  return list;
}

ir::Literal ShardedFunction::GroupMatrix(AxisSet axes) {
  const std::vector<std::vector<int64_t>> groups = GroupsAlong(axes);
  const bool is_reversed = dice_.OneIn(6);
  std::vector<int64_t> flat;
  for (std::vector<int64_t> group : groups) {
    if (is_reversed) std::reverse(group.begin(), group.end());
    flat.insert(flat.end(), group.begin(), group.end());
  }
  return ir::Literal::FromValues<int64_t>(
      {DType::kI64, {static_cast<int64_t>(groups.size()), SizeOf(groups)}}, flat);
}

void ShardedFunction::TryCollective() {
  if (!is_manual_ || !may_exchange_ || manual_ == 0) return;
  AxisSet axes = manual_;
  if (dice_.OneIn(2)) axes &= static_cast<AxisSet>(dice_.Below(int64_t{1} << 16));
  if (axes == 0) return;
  using Try = void (ShardedFunction::*)(AxisSet);
  static constexpr Try kTries[] = {
      &ShardedFunction::TryAllReduce, &ShardedFunction::TryAllReduce,
      &ShardedFunction::TryAllGather, &ShardedFunction::TryReduceScatter,
      &ShardedFunction::TryAllToAll,  &ShardedFunction::TryPermute,
      &ShardedFunction::TryAxisIndex};
  (this->*dice_.Pick(kTries))(axes);
}

void ShardedFunction::TryAllReduce(AxisSet axes) {
  const Value any = AnyValue();
  const DType dtype = TypeOf(any).dtype;
  const Value x = ir::IsFloat(dtype) && any.exact ? Small(any) : any;
  const OpKind kind = AnyCombiner(dtype);
  if (kind == OpKind::kMultiply && ir::IsFloat(dtype)) return;
  ir::AllReduceAttributes attributes;
  attributes.replica_groups = GroupMatrix(axes);
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  attributes.use_global_device_ids = true;
  std::vector<ir::Region> regions;
  regions.push_back(Combiner(kind, dtype));
  Values operands = {x};
  std::vector<ir::ValueId> ids = {x.id};
  if (dice_.OneIn(4)) {
    operands.push_back(x);
    ids.push_back(x.id);
  }
  const auto results = b_.Add(OpKind::kAllReduce, ids, attributes, std::move(regions));
  if (!results.ok()) return;
  const int64_t bound = BoundOf(kind, x.bound, x.bound, SizeOf(GroupsAlong(axes)));
  for (const ir::ValueId id : *results) {
    Keep({.id = id,
          .bound = dtype == DType::kI1 ? 1 : bound,
          .exact = x.exact && IsExact(kind, dtype, bound),
          .varies = x.varies & ~axes});
  }
}

void ShardedFunction::TryAllGather(AxisSet axes) {
  const Value x = AnyValue(1);
  ir::AllGatherAttributes attributes;
  attributes.replica_groups = GroupMatrix(axes);
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  attributes.use_global_device_ids = true;
  attributes.all_gather_dim = dice_.Below(TypeOf(x).rank());
  ir::TensorType whole = TypeOf(x);
  whole.dims[static_cast<size_t>(attributes.all_gather_dim)] *= SizeOf(GroupsAlong(axes));
  const auto id = Make(OpKind::kAllGather, {x}, attributes, &whole);
  if (id.ok()) {
    Keep({.id = *id, .bound = x.bound, .exact = x.exact, .varies = x.varies & ~axes});
  }
}

void ShardedFunction::TryReduceScatter(AxisSet axes) {
  const Value any = AnyValue(1);
  const DType dtype = TypeOf(any).dtype;
  const Value x = ir::IsFloat(dtype) && any.exact ? Small(any) : any;
  const int64_t members = SizeOf(GroupsAlong(axes));
  ir::ReduceScatterAttributes attributes;
  attributes.replica_groups = GroupMatrix(axes);
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  attributes.use_global_device_ids = true;
  attributes.scatter_dimension = dice_.Below(TypeOf(x).rank());
  ir::TensorType part = TypeOf(x);
  int64_t& size = part.dims[static_cast<size_t>(attributes.scatter_dimension)];
  if (size % members != 0) return;
  size /= members;
  std::vector<ir::Region> regions;
  regions.push_back(Combiner(OpKind::kAdd, dtype));
  const ir::Type declared = part;
  const auto results =
      b_.Add(OpKind::kReduceScatter, {x.id}, attributes, std::move(regions), {&declared, 1});
  if (!results.ok()) return;
  const int64_t bound = BoundOf(OpKind::kAdd, x.bound, x.bound, members);
  Keep({.id = results->front(),
        .bound = dtype == DType::kI1 ? 1 : bound,
        .exact = x.exact && IsExact(OpKind::kAdd, dtype, bound),
        .varies = x.varies | axes});
}

void ShardedFunction::TryAllToAll(AxisSet axes) {
  const Value x = AnyValue(1);
  ir::AllToAllAttributes attributes;
  attributes.replica_groups = GroupMatrix(axes);
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  attributes.split_dimension = dice_.Below(TypeOf(x).rank());
  attributes.concat_dimension = dice_.Below(TypeOf(x).rank());
  attributes.split_count = SizeOf(GroupsAlong(axes));
  const auto id = Make(OpKind::kAllToAll, {x}, attributes);
  if (id.ok()) {
    Keep({.id = *id, .bound = x.bound, .exact = x.exact, .varies = x.varies | axes});
  }
}

// Each process sends to its neighbour in the group, in a ring or in a chain.
void ShardedFunction::TryPermute(AxisSet axes) {
  const Value x = AnyValue();
  const bool is_ring = dice_.OneIn(2);
  std::vector<int64_t> pairs;
  for (const std::vector<int64_t>& group : GroupsAlong(axes)) {
    for (size_t i = 0; i < group.size(); ++i) {
      if (i + 1 == group.size() && !is_ring) continue;
      pairs.insert(pairs.end(), {group[i], group[(i + 1) % group.size()]});
    }
  }
  ir::CollectivePermuteAttributes attributes;
  attributes.source_target_pairs = ir::Literal::FromValues<int64_t>(
      {DType::kI64, {static_cast<int64_t>(pairs.size()) / 2, 2}}, pairs);
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  const auto id = Make(OpKind::kCollectivePermute, {x}, attributes);
  if (id.ok()) {
    Keep({.id = *id, .bound = x.bound, .exact = x.exact, .varies = x.varies | axes});
  }
}

// The number of the process along one axis, as JAX computes it, or that of the partition.
void ShardedFunction::TryAxisIndex(AxisSet axes) {
  const auto number_of = [&](int64_t value) { return Scalar(DType::kUI32, value); };
  const auto partition = b_.AddOne(OpKind::kPartitionId, {});
  if (!partition.ok()) return;
  Value v{.id = *partition, .bound = 8, .exact = true, .varies = axes};
  if (FreeAxes() == 0 && dice_.OneIn(2)) {
    v.varies = manual_;
    return Keep(v);
  }
  int64_t axis = 0;
  while (!Contains(axes, axis)) ++axis;
  int64_t stride = 1;
  for (size_t i = mesh().axes.size(); --i > static_cast<size_t>(axis);) {
    stride *= mesh().axes[i].size;
  }
  const Value quotient{.id = *Make(OpKind::kDivide, {v, number_of(stride)})};
  const int64_t size = mesh().axes[static_cast<size_t>(axis)].size;
  v.id = *Make(OpKind::kRemainder, {quotient, number_of(size)});
  ir::TensorType to{AnyDType(), {}};
  if (to.dtype != DType::kI1) v.id = *Make(OpKind::kConvert, {v}, ir::NoAttributes{}, &to);
  v.varies = AxisSet{1} << axis;
  Keep(v);
}

}  // namespace acceld::compiler::spmd
