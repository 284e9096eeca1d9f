#include "server/compiler/spmd/exchange.h"

#include <algorithm>
#include <utility>

namespace acceld::compiler::spmd {
namespace {

using ir::OpKind;
using ir::ValueId;

const ir::TensorType& Index() {
  static const auto& type = *new ir::TensorType{ir::DType::kI32, {}};
  return type;
}

}  // namespace

Exchange::Exchange(ir::FunctionBuilder& builder, const CanonicalMesh& mesh,
                   const ir::ProcessGrid& grid, ValueId process)
    : builder_(builder), mesh_(mesh), grid_(grid) {
  ir::Emitter emit(builder_);
  ValueId partition = emit.Convert(process, ir::DType::kI32);
  const auto number = [&](int64_t value) {
    return emit.Constant(Index(), static_cast<double>(value));
  };
  if (grid.num_replicas > 1) {
    partition = emit.Op(OpKind::kRemainder, {partition, number(grid.num_partitions)});
  }
  for (int axis = 0; axis < mesh.num_axes(); ++axis) {
    ValueId coordinate = partition;
    if (mesh.StrideOf(axis) > 1) coordinate = emit.Div(coordinate, number(mesh.StrideOf(axis)));
    if (axis > 0) coordinate = emit.Op(OpKind::kRemainder, {coordinate, number(mesh.SizeOf(axis))});
    coordinates_.push_back(coordinate);
  }
  status_.Update(emit.status());
}

ValueId Exchange::ShardAlong(absl::Span<const int> axes) {
  ir::Emitter emit(builder_);
  if (axes.empty()) return emit.Constant(Index(), 0);
  ValueId shard = coordinates_[static_cast<size_t>(axes[0])];
  for (const int axis : axes.subspan(1)) {
    const ValueId size = emit.Constant(Index(), static_cast<double>(mesh_.SizeOf(axis)));
    shard = emit.Add(emit.Mul(shard, size), coordinates_[static_cast<size_t>(axis)]);
  }
  status_.Update(emit.status());
  return shard;
}

ValueId Exchange::Slice(ValueId value, size_t dimension, const Axes& axes) {
  if (axes.empty()) return value;
  ir::Emitter emit(builder_);
  ir::TensorType type = emit.TypeOf(value);
  type.dims[dimension] /= mesh_.SizeOf(axes);
  const ValueId size = emit.Constant(Index(), static_cast<double>(type.dims[dimension]));
  const ValueId zero = emit.Constant(Index(), 0);
  std::vector<ValueId> operands = {value};
  operands.resize(type.dims.size() + 1, zero);
  operands[dimension + 1] = emit.Mul(ShardAlong(axes), size);
  const ValueId shard = emit.Op(OpKind::kDynamicSlice, std::move(operands),
                                ir::DynamicSliceAttributes{{type.dims.begin(), type.dims.end()}});
  status_.Update(emit.status());
  return shard;
}

const ir::Literal& Exchange::GroupsAlong(const Axes& axes, int64_t num_replicas) {
  const auto [entry, is_new] = groups_.try_emplace({axes, num_replicas});
  if (is_new) entry->second = mesh_.GroupsAlong(axes, num_replicas);
  return entry->second;
}

ir::GroupAttributes Exchange::Groups(const Axes& axes) {
  ir::GroupAttributes groups;
  groups.replica_groups = GroupsAlong(axes, grid_.num_replicas);
  groups.channel_handle = ir::ChannelHandle{1, 1};
  return groups;
}

ValueId Exchange::One(absl::StatusOr<std::vector<ValueId>> results, ValueId instead) {
  status_.Update(results.status());
  return results.ok() ? results->front() : instead;
}

ValueId Exchange::AllGather(ValueId value, size_t dimension, const Axes& axes) {
  if (axes.empty()) return value;
  ir::TensorType type = builder_.TypeOf(value).tensor();
  type.dims[dimension] *= mesh_.SizeOf(axes);
  ir::AllGatherAttributes attributes;
  static_cast<ir::GroupAttributes&>(attributes) = Groups(axes);
  attributes.all_gather_dim = static_cast<int64_t>(dimension);
  attributes.use_global_device_ids = true;
  const ir::Type declared = std::move(type);
  return One(builder_.Add(OpKind::kAllGather, {value}, std::move(attributes), {}, {&declared, 1}),
             value);
}

// Since an all_to_all has no global device ids, its groups are of partitions.
ValueId Exchange::AllToAll(ValueId value, size_t from, size_t to, const Axes& axes) {
  ir::AllToAllAttributes attributes;
  attributes.replica_groups = GroupsAlong(axes, /*num_replicas=*/1);
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  attributes.split_dimension = static_cast<int64_t>(to);
  attributes.concat_dimension = static_cast<int64_t>(from);
  attributes.split_count = mesh_.SizeOf(axes);
  return One(builder_.Add(OpKind::kAllToAll, {value}, std::move(attributes)), value);
}

ir::Region Exchange::Combiner(ValueId value, OpKind combiner) {
  ir::Emitter emit(builder_);
  const ir::DType dtype = emit.TypeOf(value).dtype;
  const bool is_sum_of_bools = combiner == OpKind::kAdd && dtype == ir::DType::kI1;
  ir::Region region = emit.Reducer(is_sum_of_bools ? OpKind::kOr : combiner, dtype);
  status_.Update(emit.status());
  return region;
}

ValueId Exchange::AllReduce(ValueId value, const Axes& axes, OpKind combiner) {
  if (axes.empty()) return value;
  ir::AllReduceAttributes attributes;
  static_cast<ir::GroupAttributes&>(attributes) = Groups(axes);
  attributes.use_global_device_ids = true;
  std::vector<ir::Region> regions;
  regions.push_back(Combiner(value, combiner));
  return One(builder_.Add(OpKind::kAllReduce, {value}, std::move(attributes), std::move(regions)),
             value);
}

ValueId Exchange::ReduceScatter(ValueId value, size_t dimension, const Axes& axes,
                                OpKind combiner) {
  ir::TensorType type = builder_.TypeOf(value).tensor();
  type.dims[dimension] /= mesh_.SizeOf(axes);
  ir::ReduceScatterAttributes attributes;
  static_cast<ir::GroupAttributes&>(attributes) = Groups(axes);
  attributes.scatter_dimension = static_cast<int64_t>(dimension);
  attributes.use_global_device_ids = true;
  std::vector<ir::Region> regions;
  regions.push_back(Combiner(value, combiner));
  const ir::Type declared = std::move(type);
  return One(builder_.Add(OpKind::kReduceScatter, {value}, std::move(attributes),
                          std::move(regions), {&declared, 1}),
             value);
}

ValueId Exchange::BroadcastFromFirst(ValueId value) {
  Axes all;
  for (int axis = 0; axis < mesh_.num_axes(); ++axis) all.push_back(axis);
  ir::CollectiveBroadcastAttributes attributes;
  attributes.replica_groups = GroupsAlong(all, /*num_replicas=*/1);
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  return One(builder_.Add(OpKind::kCollectiveBroadcast, {value}, std::move(attributes)), value);
}

ValueId Exchange::AsParts(ValueId value, const Axes& axes) {
  if (axes.empty()) return value;
  ir::Emitter emit(builder_);
  const ValueId is_first =
      emit.Compare(ir::ComparisonDirection::kEq, ShardAlong(axes), emit.Constant(Index(), 0));
  const ValueId parts = emit.Select(is_first, value, emit.Fill(value, 0));
  status_.Update(emit.status());
  return parts;
}

ValueId Exchange::ShardAsPart(ValueId value, size_t dimension, const Axes& axes) {
  if (axes.empty()) return value;
  ir::Emitter emit(builder_);
  ir::TensorType type = emit.TypeOf(value);
  const ValueId size = emit.Constant(Index(), static_cast<double>(type.dims[dimension]));
  type.dims[dimension] *= mesh_.SizeOf(axes);
  std::vector<ValueId> operands = {emit.Constant(type, 0), value};
  operands.resize(type.dims.size() + 2, emit.Constant(Index(), 0));
  operands[dimension + 2] = emit.Mul(ShardAlong(axes), size);
  const ValueId part = emit.Op(OpKind::kDynamicUpdateSlice, std::move(operands));
  status_.Update(emit.status());
  return part;
}

absl::optional<ir::Literal> Exchange::PairsBetween(const Layout& from, const Layout& to) const {
  for (size_t i = 0; i < from.dimensions.size(); ++i) {
    if (mesh_.SizeOf(from.dimensions[i]) != mesh_.SizeOf(to.dimensions[i])) return absl::nullopt;
  }
  const auto shards_of = [&](const Layout& layout, int64_t partition) {
    std::vector<int64_t> shards;
    for (const Axes& axes : layout.dimensions) shards.push_back(mesh_.ShardOf(axes, partition));
    return shards;
  };
  const int64_t count = mesh_.num_partitions();
  // By shard: the partitions that have it and send it to others, and those that need it from them.
  struct Partitions {
    std::vector<int64_t> sources, targets;
  };
  std::map<std::vector<int64_t>, Partitions> by_shard;
  std::vector<int64_t> pairs;
  for (int64_t partition = 0; partition < count; ++partition) {
    const std::vector<int64_t> has = shards_of(from, partition);
    const std::vector<int64_t> needs = shards_of(to, partition);
    if (has == needs) {
      pairs.insert(pairs.end(), {partition, partition});
    } else {
      by_shard[has].sources.push_back(partition);
      by_shard[needs].targets.push_back(partition);
    }
  }
  // In both layouts equally many partitions have each shard, so that there are as many sources as
  // targets.
  for (const auto& [shard, partitions] : by_shard) {
    for (size_t i = 0; i < partitions.sources.size(); ++i) {
      pairs.insert(pairs.end(), {partitions.sources[i], partitions.targets[i]});
    }
  }
  return ir::Literal::FromValues<int64_t>({ir::DType::kI64, {count, 2}}, pairs);
}

absl::optional<ValueId> Exchange::Permute(ValueId value, const Layout& from, const Layout& to) {
  const auto [entry, is_new] = pairs_.try_emplace({from.dimensions, to.dimensions});
  if (is_new) entry->second = PairsBetween(from, to);
  if (!entry->second.has_value()) return absl::nullopt;
  ir::CollectivePermuteAttributes attributes;
  attributes.source_target_pairs = *entry->second;
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  return One(builder_.Add(OpKind::kCollectivePermute, {value}, std::move(attributes)), value);
}

ValueId Exchange::Mirror(ValueId value, const Axes& axes) {
  if (axes.empty()) return value;
  const int64_t count = mesh_.num_partitions();
  std::vector<int64_t> pairs;
  for (int64_t partition = 0; partition < count; ++partition) {
    int64_t target = partition;
    for (const int axis : axes) {
      const int64_t position = partition / mesh_.StrideOf(axis) % mesh_.SizeOf(axis);
      target += (mesh_.SizeOf(axis) - 1 - 2 * position) * mesh_.StrideOf(axis);
    }
    pairs.insert(pairs.end(), {partition, target});
  }
  ir::CollectivePermuteAttributes attributes;
  attributes.source_target_pairs =
      ir::Literal::FromValues<int64_t>({ir::DType::kI64, {count, 2}}, pairs);
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  return One(builder_.Add(OpKind::kCollectivePermute, {value}, std::move(attributes)), value);
}

}  // namespace acceld::compiler::spmd
