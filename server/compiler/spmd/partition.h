#pragma once

#include <vector>

#include "common/ir/module.h"
#include "common/status.h"

// Partitions programs for several processes (SPMD: all run the same code on different shards).
// Source: Xu et al., "GSPMD: General and Scalable Parallelization for ML Computation Graphs", 2021;
// Shardy.
namespace acceld::compiler::spmd {

// What one process computes.
struct PartitionedProgram {
  // Local: its values are those of one process. The entry takes one more argument, the last one:
  // the number of the process, a scalar ui32.
  ir::Module module;
  // How the arguments and results of the whole program are distributed, on `mesh`; along unreduced
  // axes they are combinations of what the processes have. Empty if the program was local already:
  // then each process has arguments and results of its own.
  std::vector<ir::Sharding> argument_shardings, result_shardings;
  ir::Mesh mesh;
};

// Partitions a specialized module whose grid has several processes. Its first function is the
// entry. Composites, tuples, calls and derived ops are replaced by other ops first.
//
// What has no factor rule, and what is not divisible, is computed by every process on whole values.
// Ops whose results are not used are removed, and collectives are combined (combine_collectives.h).
// Host callbacks of the global program are called by the process 0 of each replica, which sends the
// results to the others, or by each process if they are partitioned (calls/host_callback.h).
//
// Errors: INVALID_ARGUMENT for a parameter or result whose sharding does not divide it into equal
// shards; UNIMPLEMENTED for meshes without common parts (CanonicalMesh); RESOURCE_EXHAUSTED for
// programs that become too large.
absl::StatusOr<PartitionedProgram> Partition(const ir::Module& module);

}  // namespace acceld::compiler::spmd
