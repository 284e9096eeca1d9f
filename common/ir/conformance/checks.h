#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/ir/types/literal.h"

// The comparison rules of conformance programs: how much an actual tensor may differ from the
// expected tensor. Source: StableHLO's check dialect and the custom calls that replace it.
namespace acceld::ir {

// How a rule compares two values.
enum class Tolerance : uint8_t {
  kExact,          // elements compare equal: -0 is 0, NaN is not NaN
  kUlp,            // at most `bound` units in the last place (ulp) of the element type apart
  kAbsolute,       // |actual - expected| <= bound
  kRelative,       // |actual - expected| <= bound * |expected|
  kRelativeToMax,  // |actual - expected| <= bound * the largest finite |expected|
};

// A rule. NaN equals NaN, except under kExact without nan_equal, and an infinity equals only
// itself. Integers must be equal under kExact and kUlp. Complex numbers are compared part by part
// under kExact, kUlp and kAbsolute, and by the absolute value of their difference under the
// relative rules.
struct CheckRule {
  Tolerance tolerance = Tolerance::kExact;
  double bound = 0;
  bool nan_equal = false;  // under kExact too

  // Returns "equal", "within 3 ulp", "within 0.001" and the like.
  std::string ToString() const;
  friend bool operator==(const CheckRule&, const CheckRule&) = default;
};

// Returns the rule of a custom call target such as "check.expect_close"; nullopt for a target that
// is no check.
absl::optional<CheckRule> RuleOfCheck(absl::string_view target);

// The result of a comparison.
struct Comparison {
  bool passed = false;
  // The largest distance of two elements, in the unit of the rule (0 or 1 for kExact); infinite
  // where one of them is NaN or infinite and the other is not.
  double max_distance = 0;
  // If it did not pass: how many elements differ, the first of them with both values, and the
  // distances.
  std::string message;
};

// Compares two tensors by a rule. Tensors of different types do not pass.
Comparison Compare(const CheckRule& rule, const Literal& actual, const Literal& expected);

}  // namespace acceld::ir
