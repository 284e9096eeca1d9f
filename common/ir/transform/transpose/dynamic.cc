// Ops that take shapes as values: functions are transposed when their shapes are known.

#include "common/ir/transform/transposition.h"

namespace acceld::ir {

#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family)
#define ACCELD_DYNAMIC_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer) \
  absl::Status Transpose##Kind(Transposition& t) {                                            \
    return t.Refuse("its shape must be known first; specialize the function");                \
  }
#include "common/ir/ops.def"

}  // namespace acceld::ir
