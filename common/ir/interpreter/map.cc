#include "common/ir/interpreter/machine.h"

// Source: StableHLO specification, "map".
namespace acceld::ir::interpreter {

EvalResult EvalMap(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

}  // namespace acceld::ir::interpreter
