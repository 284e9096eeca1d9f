#include "common/ir/interpreter/machine.h"

// Source: StableHLO specification, "rng" and "rng_bit_generator".
namespace acceld::ir::interpreter {

EvalResult EvalRng(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalRngBitGenerator(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

}  // namespace acceld::ir::interpreter
