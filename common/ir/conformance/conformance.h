#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/conformance/check_overrides.h"
#include "common/ir/conformance/checks.h"
#include "common/ir/interpreter.h"
#include "common/ir/module.h"
#include "common/status.h"

// Conformance programs: StableHLO modules that contain their inputs and expected results. Their
// @main has no parameters, calls @inputs and @expected (or contains constants), and ends with
// custom calls @check.expect_eq, @check.expect_close or @check.expect_almost_eq on (actual,
// expected).
namespace acceld::ir {

// One check of a conformance program.
struct ConformanceCheck {
  std::string target;  // "check.expect_close"
  CheckRule rule;
  Literal expected;
  size_t result = 0;  // the index of the actual value in the results of @main
  Location location;
};

// A conformance program, split so that the code under test runs on arguments instead of constants.
struct ConformanceProgram {
  std::vector<Literal> inputs;
  // Its @main has `inputs` as arguments and returns the actual values of the checks. It computes
  // nothing else, and calls neither checks nor @inputs or @expected. It is not verified again.
  Module program;
  std::vector<ConformanceCheck> checks;
};

// Splits a verified module. The interpreter computes the inputs and expected values, with
// everything they depend on; constants of @main itself stay in the program. INVALID_ARGUMENT when
// @main has parameters, when there is no check, or when a check is not directly in the body of
// @main; UNIMPLEMENTED for a check without a rule.
absl::StatusOr<ConformanceProgram> SplitConformanceProgram(const Module& module,
                                                           const InterpreterLimits& limits = {});

// Compares the results of the program with the expected values of its checks. Returns a message for
// each check that does not pass. `override` may be nullptr; its `skip` is not considered.
std::vector<std::string> FailedChecks(const ConformanceProgram& program,
                                      absl::Span<const Literal> results,
                                      const CheckOverride* override);

}  // namespace acceld::ir
