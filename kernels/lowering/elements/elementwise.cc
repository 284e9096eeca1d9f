#include "kernels/lowering/elements/elementwise.h"

#include "common/ir/op_table.h"

namespace acceld::kernels {
namespace {

constexpr ir::OpTable<ElementwiseHandler> kHandlers = {
#define ACCELD_ELEMENTWISE_OP(Kind, ...) {ir::OpKind::k##Kind, &Emit##Kind},
#include "common/ir/ops.def"
};

}  // namespace

ElementwiseHandler ElementwiseHandlerOf(ir::OpKind kind) { return kHandlers[kind]; }

}  // namespace acceld::kernels
