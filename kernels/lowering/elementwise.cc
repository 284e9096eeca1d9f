#include "kernels/lowering/elementwise.h"

namespace acceld::kernels {
namespace {

#define ACCELD_HANDLER_Elementwise(Kind) &Emit##Kind
#define ACCELD_HANDLER_Indexing(Kind) nullptr
#define ACCELD_HANDLER_Nest(Kind) nullptr
#define ACCELD_HANDLER_Contraction(Kind) nullptr
#define ACCELD_HANDLER_Routine(Kind) nullptr
#define ACCELD_HANDLER_Derived(Kind) nullptr
#define ACCELD_HANDLER_Dynamic(Kind) nullptr
#define ACCELD_HANDLER_Structure(Kind) nullptr

constexpr ElementwiseHandler kHandlers[] = {
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  ACCELD_HANDLER_##Family(Kind),
#include "common/ir/ops.def"
};

#undef ACCELD_HANDLER_Elementwise
#undef ACCELD_HANDLER_Indexing
#undef ACCELD_HANDLER_Nest
#undef ACCELD_HANDLER_Contraction
#undef ACCELD_HANDLER_Routine
#undef ACCELD_HANDLER_Derived
#undef ACCELD_HANDLER_Dynamic
#undef ACCELD_HANDLER_Structure

}  // namespace

ElementwiseHandler ElementwiseHandlerOf(ir::OpKind kind) {
  return kHandlers[static_cast<int>(kind)];
}

}  // namespace acceld::kernels
