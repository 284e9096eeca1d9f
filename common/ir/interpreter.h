#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// The reference interpreter: slow and obvious, the oracle that tests and conformance checks compare
// with, and the evaluator of the constant folder. One handler per op (Eval<Kind>), found through
// ops.def. Values of integer ops are exact; floats are computed in double and rounded to the
// element type once per op; sums of a reduction or product are rounded after each step, in f32 for
// f16 and bf16. Source: StableHLO specification, "Execution".
namespace acceld::ir {

struct InterpreterLimits {
  // Element computations before RESOURCE_EXHAUSTED; bounds endless loops.
  int64_t max_element_ops = int64_t{1} << 40;
  // Size of one value before RESOURCE_EXHAUSTED.
  int64_t max_tensor_bytes = int64_t{1} << 28;
};

// Runs `entry` of a verified, static module on `arguments`, whose types must match its parameters.
// `callbacks` are what its host callbacks call, by their numbers, in the order of the program;
// FAILED_PRECONDITION for a call of one that is not there.
absl::StatusOr<std::vector<Literal>> Interpret(const Module& module, absl::string_view entry,
                                               absl::Span<const Literal> arguments,
                                               const InterpreterLimits& limits = {},
                                               absl::Span<const HostCallback> callbacks = {});

// One op of `function` on literals, for the constant folder. INVALID_ARGUMENT when a region of the
// op captures values; NOT_FOUND when the op calls a function.
absl::StatusOr<std::vector<Literal>> InterpretOp(const Function& function, const Op& op,
                                                 absl::Span<const Literal> operands,
                                                 const InterpreterLimits& limits = {});

}  // namespace acceld::ir
