#pragma once

#include <cstdint>
#include <vector>

#include "client/pjrt/compile_options.pb.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::pjrt {

// Which devices run a program: one for each of its processes.
struct DeviceAssignment {
  ir::ProcessGrid grid;
  // JAX's numbers of the devices, by the number of the process: the partitions of replica 0 first.
  std::vector<int64_t> devices;
  friend bool operator==(const DeviceAssignment&, const DeviceAssignment&) = default;
};

// Reads an assignment. INVALID_ARGUMENT if it has no devices, or its lists of devices are not as
// many or as long as it says.
absl::StatusOr<DeviceAssignment> ReadDeviceAssignment(const DeviceAssignmentProto& message);
DeviceAssignmentProto ToProto(const DeviceAssignment& assignment);

}  // namespace acceld::pjrt
