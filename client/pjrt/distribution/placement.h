#pragma once

#include <vector>

#include "client/pjrt/abi/abi.h"
#include "client/pjrt/compile/compile_options.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/distribution/device_assignment.h"
#include "common/ir/module.h"
#include "common/status.h"

// Where the processes of a program run.
namespace acceld::pjrt {

// Returns the assignment that the options have for a program, or else one to the first devices of
// the client. INVALID_ARGUMENT if the options are for another number of processes than the program
// (mhlo.num_replicas, mhlo.num_partitions), or name a device twice. UNIMPLEMENTED, with advice, if
// they choose no partitioner, or another one than Shardy, for a program that has to be partitioned.
absl::StatusOr<DeviceAssignment> AssignmentFor(const CompileOptions& options,
                                               const ir::Module& module);

// Returns the devices of an assignment, by process. NOT_FOUND for a number that no device of the
// client has. INVALID_ARGUMENT for devices of several kinds, such as CPUs and GPUs.
absl::StatusOr<std::vector<PJRT_Device*>> FindDevices(const PJRT_Client& client,
                                                      const DeviceAssignment& assignment);

}  // namespace acceld::pjrt
