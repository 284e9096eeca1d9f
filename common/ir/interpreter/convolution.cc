#include "common/ir/interpreter/machine.h"

// Convolutions. Source: StableHLO specification, "convolution".
namespace acceld::ir::interpreter {

EvalResult EvalConvolution(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

}  // namespace acceld::ir::interpreter
