#pragma once

#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

namespace acceld::ir {

// Converts a custom call in place to the op that it stands for:
//  mhlo.NAME             an op of CHLO, as XLA's plugins see it, its attributes in mhlo.attributes
//  stablehlo.dynamic_*   ops that JAX exports for symbolic shapes and StableHLO lacks
//  acceld.host_callback  a host callback, in the normal form of host_callback.h
//  ApproxTopK            lax.approx_max_k and approx_min_k, under the name in approx_top_k.h
// Other ops stay as they are. `builder` is used to build the regions of such an op.
absl::Status UnwrapCustomCall(FunctionBuilder& builder, ImportedOp& op);

// Returns the function that a custom call names in called_computations, which must be one.
absl::StatusOr<FunctionName> CalledComputation(const ImportedOp& op);

}  // namespace acceld::ir
