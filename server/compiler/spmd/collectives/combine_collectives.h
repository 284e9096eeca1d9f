#pragma once

#include "common/ir/module.h"

namespace acceld::compiler::spmd {

// Returns the module, whose functions must not call others, with fewer collectives that compute the
// same:
// - A sum of two all_reduces that add along the same groups, and that nothing else uses, becomes
//   the all_reduce of the sum.
// - All_reduces of independent values that combine elements in the same way become one op with
//   several operands, up to a limit of their bytes; so do all_gathers along equal dimensions. The
//   op stands where the last of them stood, and ops that use the results of the others follow it.
//
// A collective costs the more, compared with the bytes that it moves, the smaller it is, since all
// of its processes wait for each other. The pass stands at the end of Partition, behind the removal
// of what is not used, since an op with several operands keeps all of its results alive. Source:
// XLA, all-reduce-reassociate and all-reduce-combiner.
ir::Module CombineCollectives(ir::Module module);

}  // namespace acceld::compiler::spmd
