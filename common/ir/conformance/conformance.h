#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/conformance/check_overrides.h"
#include "common/ir/conformance/checks.h"
#include "common/ir/conformance/extract.h"
#include "common/ir/conformance/parallel_runs.h"
#include "common/ir/interpreter.h"
#include "common/ir/module.h"
#include "common/status.h"

// Conformance programs: StableHLO modules that contain their inputs and expected results. Their
// @main has no parameters, calls @inputs and @expected (or contains constants), and ends with
// custom calls @check.expect_eq, @check.expect_close or @check.expect_almost_eq on (actual,
// expected). Ops of the check dialect are such custom calls too; their tolerance is in a dictionary
// in backend_config, under the name of the dialect's attribute. @main may also run functions of the
// module as several processes, and check what these return. A module without @main has several
// programs: each of its functions without parameters that contains checks is what @main is above.
namespace acceld::ir {

// One check of a conformance program.
struct ConformanceCheck {
  std::string target;  // "check.expect_close"
  CheckRule rule;
  Literal expected;
  // The index of the actual value in the results of @main, followed by those of the parallel runs
  // (InterpretRuns).
  size_t result = 0;
  Location location;
};

// A conformance program, split so that the code under test runs on arguments instead of constants.
struct ConformanceProgram {
  std::vector<Literal> inputs;
  // Its @main has `inputs` as arguments and returns the actual values of the checks. It computes
  // nothing else, and calls neither checks nor @inputs or @expected. It is not verified again.
  Module program;
  std::vector<ParallelRun> runs;
  std::vector<ConformanceCheck> checks;

  // False if @main has no results, because all checks are on those of parallel runs.
  bool needs_main() const { return !program.functions.front().body.results.empty(); }
};

// Returns the names of the functions of a module that are programs, at least one. INVALID_ARGUMENT
// if it has none.
absl::StatusOr<std::vector<std::string>> ConformanceEntries(const Module& module);

// Splits a program off a verified module: its function `entry`, one of ConformanceEntries, which
// becomes @main. The interpreter computes the inputs and expected values, with everything they
// depend on; constants of the function itself stay in the program. INVALID_ARGUMENT when the
// function has parameters, when there is no check, or when a check or a parallel run is neither
// directly in its body nor in another program of the module; UNIMPLEMENTED for a check without a
// rule, and for one of values that the function computes from the results of parallel runs; the
// errors of TakeParallelRun.
absl::StatusOr<ConformanceProgram> SplitConformanceProgram(
    const Module& module, absl::string_view entry = kConformanceMain,
    const InterpreterLimits& limits = {});

// Runs the parallel runs in the interpreter. Returns the results of one after the other, and within
// a run those of one process after the other.
absl::StatusOr<std::vector<Literal>> InterpretRuns(const ConformanceProgram& program,
                                                   const InterpreterLimits& limits = {});
// Runs everything in the interpreter. Returns the results of @main and of the parallel runs.
absl::StatusOr<std::vector<Literal>> InterpretConformanceProgram(
    const ConformanceProgram& program, const InterpreterLimits& limits = {});

// Compares the results of the program with the expected values of its checks. Returns a message for
// each check that does not pass. `override` may be nullptr; its `skip` is not considered.
std::vector<std::string> FailedChecks(const ConformanceProgram& program,
                                      absl::Span<const Literal> results,
                                      const CheckOverride* override);

}  // namespace acceld::ir
