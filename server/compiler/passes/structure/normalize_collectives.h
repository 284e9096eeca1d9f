#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass for programs of one of several processes. It writes collectives as those that a step of a
// plan can do (spmd/collective_of.h), with the same values in each process:
// - Operands are converted to the type in which all_reduce and reduce_scatter combine them.
// - If a region is not one simple op, the members of a group gather their values (those of a
//   reduce_scatter: their parts of the values), and each reduces them in the order of the group.
// - A collective_reduce becomes an all_reduce, whose result all but the root replace by zeros.
// - If the root of a collective_broadcast is an operand, the members gather their values and take
//   the one of the root. A root out of range is undefined.
// It runs after inlining, since regions of reductions cannot call functions, and before the passes
// that simplify. Modules of one process and those without collectives stay as they are.
//
// Errors: UNIMPLEMENTED, with the op, for groups of different sizes where values are gathered, and
// for a reduce_scatter with such a region whose groups have processes of several replicas and
// several partitions; those of ValidateType for values that become too large.
absl::StatusOr<ir::Module> NormalizeCollectives(const ir::Module& module);

}  // namespace acceld::compiler
