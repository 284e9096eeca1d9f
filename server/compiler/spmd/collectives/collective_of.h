#pragma once

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/collective.h"

namespace acceld::compiler::spmd {

// Returns how a region of two scalars combines them, if that is one of the ways in which a
// collective step can combine elements of their type; nullopt for any other region.
absl::optional<kernels::Collective::Combiner> StepCombinerOf(const ir::Function& function,
                                                             const ir::Region& region);

// Returns the collective step that does what the op does, an op of family Collective in a program
// of one process that has static types. UNIMPLEMENTED for the ops, and the forms of ops, that the
// passes before replace (normalize_collectives.h); INVALID_ARGUMENT for groups that do not fit the
// grid or the types.
absl::StatusOr<kernels::Collective> CollectiveOf(const ir::Function& function, const ir::Op& op,
                                                 const ir::ProcessGrid& grid);

}  // namespace acceld::compiler::spmd
