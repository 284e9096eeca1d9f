#include "server/compiler/spmd/rules/rules.h"

// Ops that compute each element from the elements at the same index.
namespace acceld::compiler::spmd {

// The scalar operands of select and clamp, which have another shape, are replicated.
void ElementwiseFactors(const RuleContext& context) { context.KeepAll(); }

}  // namespace acceld::compiler::spmd
