#include "common/ir/interpreter/machine.h"

// Source: StableHLO specification, "fft".
namespace acceld::ir::interpreter {

EvalResult EvalFft(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

}  // namespace acceld::ir::interpreter
