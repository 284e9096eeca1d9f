// Ops that the compiler replaces by others. Derivatives have none of them.

#include "common/ir/transform/transposition.h"

namespace acceld::ir {

ACCELD_NOT_LINEAR(BatchNormGrad)
ACCELD_NOT_LINEAR(BatchNormInference)
ACCELD_NOT_LINEAR(BatchNormTraining)
ACCELD_NOT_LINEAR(Map)
ACCELD_NOT_LINEAR(Rng)
ACCELD_NOT_LINEAR(RngBitGenerator)
ACCELD_NOT_LINEAR(TorchIndexSelect)

}  // namespace acceld::ir
