#include "common/ir/processes/process_groups.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/ir/types/literal_integers.h"

namespace acceld::ir {
namespace {

// How the numbers in replica_groups stand for processes.
enum class GroupMode : uint8_t {
  kCrossReplica,              // replicas, for each partition
  kCrossPartition,            // partitions, for each replica
  kCrossReplicaAndPartition,  // replicas, with all of their partitions
  kFlattenedIds,              // processes
};

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

GroupMode ModeOf(bool has_channel, bool use_global_device_ids) {
  if (!has_channel) return GroupMode::kCrossReplica;
  return use_global_device_ids ? GroupMode::kFlattenedIds : GroupMode::kCrossReplicaAndPartition;
}

// The parts of an op's attributes from which its groups follow.
struct Groups {
  const Literal* matrix;
  GroupMode mode;
  bool have_equal_sizes = true;
  bool cover_all = true;  // whether the op gives a value only to members of groups
};

Groups GroupsOf(const Op& op) {
  const auto of = [](const GroupAttributes& a, bool global) {
    return Groups{&a.replica_groups, ModeOf(a.channel_handle.has_value(), global)};
  };
  const auto between_partitions = [](const GroupAttributes& a) {
    return Groups{&a.replica_groups, a.channel_handle.has_value() ? GroupMode::kCrossPartition
                                                                  : GroupMode::kCrossReplica};
  };
  switch (op.kind) {
    case OpKind::kAllGather: {
      const auto& attributes = op.As<AllGatherAttributes>();
      return of(attributes, attributes.use_global_device_ids);
    }
    case OpKind::kAllReduce: {
      const auto& attributes = op.As<AllReduceAttributes>();
      Groups groups = of(attributes, attributes.use_global_device_ids);
      groups.have_equal_sizes = false;
      return groups;
    }
    case OpKind::kReduceScatter: {
      const auto& attributes = op.As<ReduceScatterAttributes>();
      return of(attributes, attributes.use_global_device_ids);
    }
    case OpKind::kCollectiveReduce: {
      const auto& attributes = op.As<CollectiveReduceAttributes>();
      Groups groups = of(attributes, attributes.use_global_device_ids);
      groups.have_equal_sizes = false;
      groups.cover_all = false;
      return groups;
    }
    case OpKind::kCollectiveBroadcast: {
      Groups groups = between_partitions(op.As<CollectiveBroadcastAttributes>());
      groups.have_equal_sizes = false;
      groups.cover_all = false;
      return groups;
    }
    default:
      return between_partitions(op.As<AllToAllAttributes>());
  }
}

// Reads the rows of the matrix, whose numbers must be below `bound`.
absl::StatusOr<std::vector<std::vector<int64_t>>> ReadRows(const Groups& groups, int64_t bound) {
  const TensorType& type = groups.matrix->type();
  if (type.rank() != 2) {
    return Refuse("replica_groups is a ", Type(type).ToString(), ", expected a matrix");
  }
  if (type.num_elements() == 0) {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < bound; ++i) all.push_back(i);
    return std::vector<std::vector<int64_t>>{std::move(all)};
  }
  // Each number stands at most once, and each row has one at least.
  if (type.dims[0] > bound || type.dims[1] > bound) {
    return Refuse("replica_groups is a ", Type(type).ToString(), " for processes 0 to ", bound - 1);
  }
  const std::vector<int64_t> numbers = IntegersOf(*groups.matrix);
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(type.dims[0]));
  std::vector<bool> seen(static_cast<size_t>(bound));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int64_t number = numbers[i];
    constexpr int64_t kPadding = -1;
    if (number == kPadding) continue;
    if (number < 0 || number >= bound) {
      return Refuse("replica_groups has ", number, ", expected numbers from 0 to ", bound - 1);
    }
    if (seen[static_cast<size_t>(number)]) {
      return Refuse("replica_groups has ", number, " twice");
    }
    seen[static_cast<size_t>(number)] = true;
    rows[i / static_cast<size_t>(type.dims[1])].push_back(number);
  }
  const auto is_empty = [](const std::vector<int64_t>& row) { return row.empty(); };
  rows.erase(std::remove_if(rows.begin(), rows.end(), is_empty), rows.end());
  if (groups.cover_all && std::find(seen.begin(), seen.end(), false) != seen.end()) {
    return Refuse("replica_groups has no group for ",
                  std::find(seen.begin(), seen.end(), false) - seen.begin(),
                  ", expected one for each number from 0 to ", bound - 1);
  }
  return rows;
}

// Replaces the numbers of rows by processes.
ProcessGroups ToProcesses(const std::vector<std::vector<int64_t>>& rows, GroupMode mode,
                          const ProcessGrid& grid) {
  ProcessGroups groups;
  const auto process = [&](int64_t replica, int64_t partition) {
    return replica * grid.num_partitions + partition;
  };
  for (const std::vector<int64_t>& row : rows) {
    switch (mode) {
      case GroupMode::kCrossReplica:
        for (int64_t partition = 0; partition < grid.num_partitions; ++partition) {
          std::vector<int64_t>& group = groups.emplace_back();
          for (const int64_t replica : row) group.push_back(process(replica, partition));
        }
        break;
      case GroupMode::kCrossPartition:
        for (int64_t replica = 0; replica < grid.num_replicas; ++replica) {
          std::vector<int64_t>& group = groups.emplace_back();
          for (const int64_t partition : row) group.push_back(process(replica, partition));
        }
        break;
      case GroupMode::kCrossReplicaAndPartition: {
        std::vector<int64_t>& group = groups.emplace_back();
        for (int64_t partition = 0; partition < grid.num_partitions; ++partition) {
          for (const int64_t replica : row) group.push_back(process(replica, partition));
        }
        break;
      }
      case GroupMode::kFlattenedIds:
        groups.push_back(row);
        break;
    }
  }
  return groups;
}

// Returns how many numbers there are of the kind that a mode's groups consist of.
int64_t BoundOf(GroupMode mode, const ProcessGrid& grid) {
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      return grid.num_replicas;
    case GroupMode::kCrossPartition:
      return grid.num_partitions;
    case GroupMode::kFlattenedIds:
      return grid.size();
  }
  return 0;
}

}  // namespace

absl::StatusOr<ProcessGroups> ProcessGroupsOf(const Op& op, const ProcessGrid& grid) {
  const Groups groups = GroupsOf(op);
  ACCELD_ASSIGN_OR_RETURN(const std::vector<std::vector<int64_t>> rows,
                          ReadRows(groups, BoundOf(groups.mode, grid)));
  ProcessGroups processes = ToProcesses(rows, groups.mode, grid);
  if (!groups.have_equal_sizes) return processes;
  for (const std::vector<int64_t>& group : processes) {
    if (group.size() != processes[0].size()) {
      return Refuse("replica_groups has groups of ", processes[0].size(), " and of ", group.size(),
                    ", expected equal sizes");
    }
  }
  return processes;
}

absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> ProcessPairsOf(const Op& op,
                                                                        const ProcessGrid& grid) {
  const auto& attributes = op.As<CollectivePermuteAttributes>();
  const GroupMode mode =
      attributes.channel_handle.has_value() ? GroupMode::kCrossPartition : GroupMode::kCrossReplica;
  const int64_t bound = BoundOf(mode, grid);
  const TensorType& type = attributes.source_target_pairs.type();
  if (type.rank() != 2 || type.dims[1] != 2 || type.dims[0] > bound) {
    return Refuse("source_target_pairs is a ", Type(type).ToString(),
                  ", expected two columns and at most ", bound, " rows");
  }
  const std::vector<int64_t> numbers = IntegersOf(attributes.source_target_pairs);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  std::vector<bool> sends(static_cast<size_t>(bound));
  std::vector<bool> receives(static_cast<size_t>(bound));
  for (size_t i = 0; i < numbers.size(); i += 2) {
    for (const int64_t number : {numbers[i], numbers[i + 1]}) {
      if (number >= 0 && number < bound) continue;
      return Refuse("source_target_pairs has ", number, ", expected numbers from 0 to ", bound - 1);
    }
    const auto source = static_cast<size_t>(numbers[i]);
    const auto target = static_cast<size_t>(numbers[i + 1]);
    if (sends[source]) return Refuse("source_target_pairs has the source ", source, " twice");
    if (receives[target]) return Refuse("source_target_pairs has the target ", target, " twice");
    sends[source] = true;
    receives[target] = true;
    const ProcessGroups both = ToProcesses({{numbers[i], numbers[i + 1]}}, mode, grid);
    for (const std::vector<int64_t>& pair : both) pairs.emplace_back(pair[0], pair[1]);
  }
  return pairs;
}

}  // namespace acceld::ir
