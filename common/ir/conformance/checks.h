#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/ir/types/literal.h"

// The comparison rules of conformance programs: how far an actual tensor may be from the expected
// one. Source: StableHLO's check dialect and the custom calls that stand for it.
namespace acceld::ir {

enum class Tolerance : uint8_t {
  kExact,          // elements compare equal: -0 is 0, NaN is not NaN
  kUlp,            // at most `bound` representable values of the element type apart
  kAbsolute,       // |actual - expected| <= bound
  kRelative,       // |actual - expected| <= bound * |expected|
  kRelativeToMax,  // |actual - expected| <= bound * the largest finite |expected|
};

// In every rule but kExact NaN equals NaN, and an infinity equals only itself. Integers must be
// equal under kExact and kUlp. Complex numbers compare part by part under kExact, kUlp and
// kAbsolute, and by the absolute value of their difference under the relative rules.
struct CheckRule {
  Tolerance tolerance = Tolerance::kExact;
  double bound = 0;
  bool nan_equal = false;  // under kExact too

  // "equal", "within 3 ulp", "within 0.001".
  std::string ToString() const;
  friend bool operator==(const CheckRule&, const CheckRule&) = default;
};

// The rule of a custom call target, "check.expect_close"; nullopt for one that is no check.
absl::optional<CheckRule> RuleOfCheck(absl::string_view target);

struct Comparison {
  bool passed = false;
  // Of all elements, in the unit of the rule (0 or 1 for kExact); infinite where one side is NaN or
  // infinite and the other is not.
  double max_distance = 0;
  // Why it did not pass: how many elements, the first of them with both values, the distances.
  std::string message;
};

// Tensors of different types do not pass.
Comparison Compare(const CheckRule& rule, const Literal& actual, const Literal& expected);

}  // namespace acceld::ir
