#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/ir/attributes/fields.h"
#include "common/ir/attributes/sharding.h"
#include "common/ir/types/literal.h"

// The attributes of ops that concern several processes: collectives, and those that say how values
// are distributed. Field names and meanings are those of StableHLO and of Shardy.
namespace acceld::ir {

// Distinguishes collectives between the partitions of one replica, and between all processes, from
// those between replicas (processes/process_groups.h). Its fields say nothing else.
struct ChannelHandle {
  static constexpr const char* kStructName = "channel_handle";
  int64_t handle = 0, type = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(handle)
  ACCELD_FIELD(type)
  ACCELD_FIELDS_END(ChannelHandle)
};

// The fields that the attributes of collectives have in common.
struct GroupAttributes {
  // A matrix of i64, one group of processes a row; shorter groups end with -1. Without rows, all
  // processes are one group.
  Literal replica_groups = Literal::Zeros({DType::kI64, {0, 0}});
  std::optional<ChannelHandle> channel_handle;
  friend bool operator==(const GroupAttributes&, const GroupAttributes&) = default;
};

struct AllGatherAttributes : GroupAttributes {
  int64_t all_gather_dim = 0;
  bool use_global_device_ids = false;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(all_gather_dim)
  ACCELD_FIELD(replica_groups)
  ACCELD_FIELD(channel_handle)
  ACCELD_FIELD(use_global_device_ids)
  ACCELD_FIELDS_END(AllGatherAttributes)
};

struct AllReduceAttributes : GroupAttributes {
  bool use_global_device_ids = false;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(replica_groups)
  ACCELD_FIELD(channel_handle)
  ACCELD_FIELD(use_global_device_ids)
  ACCELD_FIELDS_END(AllReduceAttributes)
};

struct AllToAllAttributes : GroupAttributes {
  int64_t split_dimension = 0, concat_dimension = 0, split_count = 1;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(split_dimension)
  ACCELD_FIELD(concat_dimension)
  ACCELD_FIELD(split_count)
  ACCELD_FIELD(replica_groups)
  ACCELD_FIELD(channel_handle)
  ACCELD_FIELDS_END(AllToAllAttributes)
};

struct CollectiveBroadcastAttributes : GroupAttributes {
  bool has_dynamic_root = false;  // the last operand has the root of each group
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(replica_groups)
  ACCELD_FIELD(channel_handle)
  ACCELD_FIELD(has_dynamic_root)
  ACCELD_FIELDS_END(CollectiveBroadcastAttributes)
};

struct CollectivePermuteAttributes {
  // A matrix of i64 with two columns.
  Literal source_target_pairs = Literal::Zeros({DType::kI64, {0, 2}});
  std::optional<ChannelHandle> channel_handle;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(source_target_pairs)
  ACCELD_FIELD(channel_handle)
  ACCELD_FIELDS_END(CollectivePermuteAttributes)
};

struct CollectiveReduceAttributes : GroupAttributes {
  bool use_global_device_ids = false;
  bool has_dynamic_root = false;  // the last operand has the root of each group
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(replica_groups)
  ACCELD_FIELD(channel_handle)
  ACCELD_FIELD(use_global_device_ids)
  ACCELD_FIELD(has_dynamic_root)
  ACCELD_FIELDS_END(CollectiveReduceAttributes)
};

struct ReduceScatterAttributes : GroupAttributes {
  int64_t scatter_dimension = 0;
  bool use_global_device_ids = false;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(scatter_dimension)
  ACCELD_FIELD(replica_groups)
  ACCELD_FIELD(channel_handle)
  ACCELD_FIELD(use_global_device_ids)
  ACCELD_FIELDS_END(ReduceScatterAttributes)
};

// The region takes, of each operand, the shard of one process along the manual axes, and returns
// such shards of the results.
struct ManualComputationAttributes {
  std::vector<Sharding> in_shardings, out_shardings;
  std::vector<int64_t> manual_axes;  // indices into the axes of the mesh, ascending
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(in_shardings)
  ACCELD_FIELD(out_shardings)
  ACCELD_FIELD(manual_axes)
  ACCELD_FIELDS_END(ManualComputationAttributes)
};

struct ShardingConstraintAttributes {
  Sharding sharding;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(sharding)
  ACCELD_FIELDS_END(ShardingConstraintAttributes)
};

// Values of one group have the same sharding.
struct ShardingGroupAttributes {
  int64_t group_id = 0;
  ACCELD_FIELDS_BEGIN
  ACCELD_FIELD(group_id)
  ACCELD_FIELDS_END(ShardingGroupAttributes)
};

}  // namespace acceld::ir
