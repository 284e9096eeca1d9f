#pragma once

#include <memory>

#include "common/ir/module.h"
#include "common/ir/processes/process_signature.h"

namespace acceld::client {

// How the values of a program for several devices are distributed over its participants, the
// processes of the program. The functions on shardings are in common/ir/processes/sharding.h.
using ProgramSharding = ir::ProcessSignature;

// What one participant takes and gives, and what it runs: a program on shards, with collectives, as
// the daemon partitions it, before it is optimized further. No pointer is null.
struct PartitionedProgram {
  std::shared_ptr<const ProgramSharding> sharding;
  std::shared_ptr<const ir::Module> program;
};

}  // namespace acceld::client
