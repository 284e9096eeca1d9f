#include "common/ir/interpreter/machine.h"

// Ops that take shapes as values. Source: StableHLO specification, the sections of these ops.
namespace acceld::ir::interpreter {

EvalResult EvalDynamicBroadcastInDim(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalDynamicConv(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalDynamicGather(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalDynamicIota(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalDynamicPad(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalDynamicReshape(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalGetDimensionSize(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalRealDynamicSlice(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

EvalResult EvalSetDimensionSize(EvalContext&) {
  return absl::UnimplementedError("the interpreter does not have this op yet");
}

}  // namespace acceld::ir::interpreter
