#include "common/ir/interpreter/machine.h"

// Source: StableHLO specification, "select_and_scatter".
namespace acceld::ir::interpreter {

EvalResult EvalSelectAndScatter(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

}  // namespace acceld::ir::interpreter
