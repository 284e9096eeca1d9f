#pragma once

#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

namespace acceld::ir {

// Makes the op that a custom call stands for out of it:
//   mhlo.NAME            an op of CHLO, as XLA's plugins see it, its attributes in mhlo.attributes
//   stablehlo.dynamic_*  what JAX exports for symbolic shapes and StableHLO has no op for
//   acceld.host_callback brings it into the normal form of host_callback.h
//   ApproxTopK           lax.approx_max_k and approx_min_k, under approx_top_k.h's name
// Any other op stays as it is. `builder` gets the regions that such an op has.
absl::Status UnwrapCustomCall(FunctionBuilder& builder, ImportedOp& op);

// The one function that a custom call names in called_computations.
absl::StatusOr<FunctionName> CalledComputation(const ImportedOp& op);

}  // namespace acceld::ir
