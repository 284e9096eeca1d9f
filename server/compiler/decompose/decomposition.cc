#include "server/compiler/decompose/decomposition.h"

namespace acceld::compiler {

Decomposition::Decomposition(const ir::Function& function, const ir::Op& op)
    : function_(function), op_(op), builder_("decomposition") {
  for (ir::ValueId id : op.operands) {
    operands_.push_back(builder_.AddParameter(function.TypeOf(id)));
    arguments_.push_back(id);
  }
}

ir::ValueId Decomposition::Capture(ir::ValueId outer) {
  arguments_.push_back(outer);
  return builder_.AddParameter(function_.TypeOf(outer));
}

}  // namespace acceld::compiler
