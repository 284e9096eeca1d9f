#include "common/ir/interpreter/machine.h"

// Source: StableHLO specification, "batch_norm_grad", "batch_norm_inference" and
// "batch_norm_training".
namespace acceld::ir::interpreter {

EvalResult EvalBatchNormGrad(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalBatchNormInference(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalBatchNormTraining(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

}  // namespace acceld::ir::interpreter
