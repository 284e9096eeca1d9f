#include "client/pjrt/distribution/device_assignment.h"

#include "absl/strings/str_cat.h"

namespace acceld::pjrt {
namespace {

// Returns whether a count that a message states is that of its list; 0 means that it states none.
bool Agrees(int64_t stated, int64_t count) { return stated == 0 || stated == count; }

}  // namespace

absl::StatusOr<DeviceAssignment> ReadDeviceAssignment(const DeviceAssignmentProto& message) {
  const auto& partitions = message.computation_devices();
  DeviceAssignment assignment;
  assignment.grid.num_partitions = partitions.size();
  assignment.grid.num_replicas = partitions.empty() ? 0 : partitions[0].replica_device_ids_size();
  if (assignment.grid.size() == 0) {
    return absl::InvalidArgumentError("the device assignment of a program has no devices");
  }
  if (!Agrees(message.computation_count(), assignment.grid.num_partitions) ||
      !Agrees(message.replica_count(), assignment.grid.num_replicas)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a device assignment for ", message.replica_count(), " replicas of ",
        message.computation_count(), " partitions has devices for ", assignment.grid.num_replicas,
        " replicas of ", assignment.grid.num_partitions));
  }
  for (const auto& partition : partitions) {
    if (partition.replica_device_ids_size() == assignment.grid.num_replicas) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("a device assignment has partitions of ", assignment.grid.num_replicas,
                     " and of ", partition.replica_device_ids_size(), " replicas"));
  }
  for (int replica = 0; replica < assignment.grid.num_replicas; ++replica) {
    for (const auto& partition : partitions) {
      assignment.devices.push_back(partition.replica_device_ids(replica));
    }
  }
  return assignment;
}

DeviceAssignmentProto ToProto(const DeviceAssignment& assignment) {
  const ir::ProcessGrid& grid = assignment.grid;
  DeviceAssignmentProto message;
  message.set_replica_count(static_cast<int32_t>(grid.num_replicas));
  message.set_computation_count(static_cast<int32_t>(grid.num_partitions));
  for (int64_t partition = 0; partition < grid.num_partitions; ++partition) {
    auto& devices = *message.add_computation_devices();
    for (int64_t replica = 0; replica < grid.num_replicas; ++replica) {
      const int64_t process = replica * grid.num_partitions + partition;
      devices.add_replica_device_ids(assignment.devices[static_cast<size_t>(process)]);
    }
  }
  return message;
}

}  // namespace acceld::pjrt
