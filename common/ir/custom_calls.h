#pragma once

#include "common/ir/builder.h"
#include "common/ir/import_op.h"
#include "common/status.h"

namespace acceld::ir {

// Makes the op that a custom call stands for out of it:
//   mhlo.NAME            an op of CHLO, as XLA's plugins see it, its attributes in mhlo.attributes
//   stablehlo.dynamic_*  what JAX exports for symbolic shapes and StableHLO has no op for
// Any other op stays as it is. `builder` gets the regions that such an op has.
absl::Status UnwrapCustomCall(FunctionBuilder& builder, ImportedOp& op);

}  // namespace acceld::ir
