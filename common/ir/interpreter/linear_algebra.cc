#include "common/ir/interpreter/machine.h"

// Source: StableHLO specification, "cholesky" and "triangular_solve".
namespace acceld::ir::interpreter {

EvalResult EvalCholesky(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalTriangularSolve(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

}  // namespace acceld::ir::interpreter
