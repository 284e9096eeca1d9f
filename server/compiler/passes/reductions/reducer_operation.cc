#include "server/compiler/passes/reductions/reducer_operation.h"

#include <vector>

namespace acceld::compiler {

const ir::Op* OperationOfResult(const ir::Region& reducer, size_t i) {
  const ir::ValueId accumulator = reducer.parameters[i];
  const ir::ValueId element = reducer.parameters[reducer.results.size() + i];
  for (const ir::Op& op : reducer.ops) {
    if (op.results.size() != 1 || op.results[0] != reducer.results[i]) continue;
    const bool own = op.operands == std::vector<ir::ValueId>{accumulator, element} ||
                     op.operands == std::vector<ir::ValueId>{element, accumulator};
    return own ? &op : nullptr;
  }
  return nullptr;
}

}  // namespace acceld::compiler
