#pragma once

#include <cstdint>
#include <vector>

#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "tests/unit/compiler/random/random_program.h"
#include "tests/unit/compiler/spmd/sharded_run.h"

// Random programs for several processes: verified static modules with entry "main", the same for
// the same seed.
namespace acceld::compiler::spmd {

// A program that computes on whole values, and arguments for it.
struct ShardedProgram {
  ir::Module module;
  std::vector<ir::Literal> arguments;
  CheckRules rules;
};

// Programs for 1 to 8 partitions, of ops of all families, with shardings at random on one or two
// meshes. Where float results depend on the order of sums, values are kept within [-8, 8] and never
// decide anything, so that two right implementations differ by rounding only.
ShardedProgram MakeShardedProgram(uint64_t seed);

// A program that computes on the values of one process, and the arguments of each process.
struct LocalProgram {
  ir::Module module;
  std::vector<std::vector<ir::Literal>> arguments;
};
LocalProgram MakeLocalProgram(uint64_t seed);

// A program of MakeRandomProgram with shardings at random. Few of its shapes are divisible, but it
// has all types, nests that use values around them, and ops that other ops replace.
RandomProgram MakeDistributedProgram(uint64_t seed);

}  // namespace acceld::compiler::spmd
