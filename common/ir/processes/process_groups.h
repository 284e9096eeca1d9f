#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/ir/module.h"
#include "common/status.h"

// Which processes take part together in a collective op. Source: StableHLO specification,
// "Parallel execution", "Process groups".
namespace acceld::ir {

// Processes are numbered replica * num_partitions + partition.
using ProcessGroups = std::vector<std::vector<int64_t>>;

// Returns the groups of an op that has replica_groups. INVALID_ARGUMENT for numbers that are out of
// range or stand twice, groups of different sizes where the op needs equal ones, and processes
// without a group where the op gives these no value.
absl::StatusOr<ProcessGroups> ProcessGroupsOf(const Op& op, const ProcessGrid& grid);

// Returns the (source, target) pairs of processes of a collective_permute. INVALID_ARGUMENT for
// numbers out of range, and for a process that sends or receives twice.
absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> ProcessPairsOf(const Op& op,
                                                                        const ProcessGrid& grid);

}  // namespace acceld::ir
