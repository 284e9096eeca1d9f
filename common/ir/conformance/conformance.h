#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/conformance/check_overrides.h"
#include "common/ir/conformance/checks.h"
#include "common/ir/interpreter.h"
#include "common/ir/module.h"
#include "common/status.h"

// Conformance programs: StableHLO modules that hold their own inputs and expected results. Their
// @main takes nothing, calls @inputs and @expected (or holds constants) and ends with custom calls
// @check.expect_eq, expect_close or expect_almost_eq on (actual, expected).
namespace acceld::ir {

struct ConformanceCheck {
  std::string target;  // "check.expect_close"
  CheckRule rule;
  Literal expected;
  size_t result = 0;  // of the program's @main, the actual value
  Location location;
};

// A conformance program taken apart, so that what is under test runs on real arguments.
struct ConformanceProgram {
  std::vector<Literal> inputs;
  // Its @main takes `inputs` and returns what the checks compare. It computes nothing else, checks
  // nothing and calls neither @inputs nor @expected. Not verified again.
  Module program;
  std::vector<ConformanceCheck> checks;
};

// Takes a verified module apart. Inputs and expected values are computed by the interpreter, from
// whatever they depend on; constants that @main itself holds stay in the program. INVALID_ARGUMENT
// when @main takes parameters, when there is no check, or when one stands outside of @main's own
// body; UNIMPLEMENTED for a check without a rule.
absl::StatusOr<ConformanceProgram> SplitConformanceProgram(const Module& module,
                                                           const InterpreterLimits& limits = {});

// Compares `results` of the program with what its checks expect: one message per check that does
// not pass, empty when all do. `override` may be null; its skip is the caller's business.
std::vector<std::string> FailedChecks(const ConformanceProgram& program,
                                      absl::Span<const Literal> results,
                                      const CheckOverride* override);

}  // namespace acceld::ir
