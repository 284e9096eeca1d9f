#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// The reference interpreter. It is simple instead of fast: tests and conformance checks compare
// other results with its results, and the constant folder evaluates ops with it. Each op has one
// handler, Eval<Kind>, found through ops.def. Integer results are exact. Floats are computed in
// double and rounded to the element type once per op; sums of a reduction or product are rounded
// after each step, in f32 for f16 and bf16. Source: StableHLO specification, "Execution".
namespace acceld::ir {

// Limits of one run.
struct InterpreterLimits {
  // The computed elements after which a run fails with RESOURCE_EXHAUSTED; this ends endless loops.
  int64_t max_element_ops = int64_t{1} << 40;
  // The size of a value above which a run fails with RESOURCE_EXHAUSTED.
  int64_t max_tensor_bytes = int64_t{1} << 28;
};

// Runs the function `entry` of a verified module with static types. The types of `arguments` must
// match its parameters. A host callback with number n calls callbacks[n]; FAILED_PRECONDITION if
// that does not exist or is empty. Callbacks are called in the order of the program.
absl::StatusOr<std::vector<Literal>> Interpret(const Module& module, absl::string_view entry,
                                               absl::Span<const Literal> arguments,
                                               const InterpreterLimits& limits = {},
                                               absl::Span<const HostCallback> callbacks = {});

// Evaluates one op of `function` on literals, for the constant folder. INVALID_ARGUMENT when a
// region of the op captures values; NOT_FOUND when the op calls a function.
absl::StatusOr<std::vector<Literal>> InterpretOp(const Function& function, const Op& op,
                                                 absl::Span<const Literal> operands,
                                                 const InterpreterLimits& limits = {});

}  // namespace acceld::ir
