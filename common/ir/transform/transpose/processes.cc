// Ops that concern several processes: functions are transposed before they are distributed.

#include "common/ir/transform/transposition.h"

namespace acceld::ir {

#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family)
#define ACCELD_COLLECTIVE_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer) \
  absl::Status Transpose##Kind(Transposition& t) {                                               \
    return t.Refuse("functions are transposed before they are distributed over devices");        \
  }
#define ACCELD_SHARDING_OP ACCELD_COLLECTIVE_OP
#include "common/ir/ops.def"

}  // namespace acceld::ir
