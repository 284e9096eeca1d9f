#pragma once

#include <string>
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
//
// A program for several partitions must be a global one (module.h): manual computations run as
// grid.num_partitions processes, on threads of their own. FAILED_PRECONDITION for collectives, and
// for the number of the process, elsewhere.
absl::StatusOr<std::vector<Literal>> Interpret(const Module& module, absl::string_view entry,
                                               absl::Span<const Literal> arguments,
                                               const InterpreterLimits& limits = {},
                                               absl::Span<const HostCallback> callbacks = {});

// What one process of a program runs.
struct ProcessCall {
  std::string entry;
  std::vector<Literal> arguments;
};

// Runs a local program (module.h) as module.grid.size() processes that exchange values at
// collectives, and returns the results of each. Process p, numbered replica * num_partitions +
// partition, runs calls[p]. The processes may run different functions: then those of a group meet
// where they come to collectives of the same kind with equal attributes, and otherwise at the same
// op of the program only. All members of a group get equal bits where they get equal values.
//
// The limits hold for each process, callbacks are called one at a time, and each run takes the same
// course. The error of the first process that fails ends the run, with the number of the process in
// its message. INTERNAL, with the ops at which processes wait, if none of them can go on.
absl::StatusOr<std::vector<std::vector<Literal>>> InterpretProcesses(
    const Module& module, absl::Span<const ProcessCall> calls, const InterpreterLimits& limits = {},
    absl::Span<const HostCallback> callbacks = {});

// As above; each process p runs the function `entry` on arguments[p].
absl::StatusOr<std::vector<std::vector<Literal>>> InterpretProcesses(
    const Module& module, absl::string_view entry, absl::Span<const std::vector<Literal>> arguments,
    const InterpreterLimits& limits = {}, absl::Span<const HostCallback> callbacks = {});

// Evaluates one op of `function` on literals, for the constant folder. INVALID_ARGUMENT when a
// region of the op captures values; NOT_FOUND when the op calls a function.
absl::StatusOr<std::vector<Literal>> InterpretOp(const Function& function, const Op& op,
                                                 absl::Span<const Literal> operands,
                                                 const InterpreterLimits& limits = {});

}  // namespace acceld::ir
