#include "client/pjrt/distribution/placement.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "common/ir/processes/verify_processes.h"

namespace acceld::pjrt {
namespace {

// Checks that a number that the options state is the program's; 0 means that they state none.
absl::Status CheckCount(const ir::Module& module, int64_t stated, int64_t count,
                        absl::string_view what) {
  if (stated == 0 || stated == count) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("'", module.name, "' has ", count, " ", what,
                                                 " (mhlo.num_", what,
                                                 "); the compile options are for ", stated));
}

absl::Status CheckPartitioner(const CompileOptions& options, const ir::Module& module) {
  if (options.num_partitions <= 1 || ir::IsLocal(module)) return absl::OkStatus();
  if (!options.use_spmd_partitioning) {
    return absl::UnimplementedError(absl::StrCat(
        "the compile options of '", module.name, "' are for ", options.num_partitions,
        " partitions, and not to partition it (use_spmd_partitioning is false), but it computes on "
        "whole values"));
  }
  if (options.use_shardy_partitioner) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "the compile options of '", module.name,
      "' choose the GSPMD partitioner (use_shardy_partitioner is false): programs for several "
      "devices need the Shardy partitioner; set jax_use_shardy_partitioner "
      "(JAX_USE_SHARDY_PARTITIONER=1), which is JAX's default"));
}

}  // namespace

absl::StatusOr<DeviceAssignment> AssignmentFor(const CompileOptions& options,
                                               const ir::Module& module) {
  const ir::ProcessGrid& grid = module.grid;
  ACCELD_RETURN_IF_ERROR(CheckCount(module, options.num_replicas, grid.num_replicas, "replicas"));
  ACCELD_RETURN_IF_ERROR(
      CheckCount(module, options.num_partitions, grid.num_partitions, "partitions"));
  ACCELD_RETURN_IF_ERROR(CheckPartitioner(options, module));
  DeviceAssignment assignment{.grid = grid, .devices = {}};
  if (!options.assignment.has_value()) {
    assignment.devices.resize(static_cast<size_t>(grid.size()));
    std::iota(assignment.devices.begin(), assignment.devices.end(), 0);
    return assignment;
  }
  assignment = *options.assignment;
  if (assignment.grid != grid) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", module.name, "' has ", grid.num_replicas, " replicas of ",
                     grid.num_partitions, " partitions; the device assignment is for ",
                     assignment.grid.num_replicas, " of ", assignment.grid.num_partitions));
  }
  std::vector<int64_t> sorted = assignment.devices;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return assignment;
  return absl::InvalidArgumentError(absl::StrCat("'", module.name, "' is assigned to device ",
                                                 *twice, " twice; its ", grid.size(),
                                                 " processes need different devices"));
}

absl::StatusOr<std::vector<PJRT_Device*>> FindDevices(const PJRT_Client& client,
                                                      const DeviceAssignment& assignment) {
  std::vector<PJRT_Device*> devices;
  devices.reserve(assignment.devices.size());
  for (const int64_t id : assignment.devices) {
    ACCELD_ASSIGN_OR_RETURN(PJRT_Device* const device, FindDevice(client, id));
    devices.push_back(device);
    if (device->daemon_kind == devices.front()->daemon_kind) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "a program for several devices needs devices of one kind; it was given ",
        devices.front()->description.to_string, " and ", device->description.to_string));
  }
  return devices;
}

}  // namespace acceld::pjrt
