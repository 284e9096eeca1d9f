#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/module.h"

// Composites by which a program says how its own functions are differentiated. Each calls its
// decomposition; what is special is said by its name and by functions of the module that its
// attributes name. EraseCustomRules makes ordinary calls of them when nothing is to be
// differentiated any more.
//
// Below, the first `arguments` (an attribute) operands are those of the user's function; the others
// are values that the functions capture from around them. A value "has a tangent" if its type has
// (HasTangents).
namespace acceld::ir {

// Forward mode: @jvp takes all operands, but after the arguments come the tangents of those
// arguments that have one; it gives the results, then the tangents of those that have one. It must
// be linear in the tangents.
inline constexpr absl::string_view kCustomJvp = "acceld.custom_jvp";
// Reverse mode: @forward takes all operands and gives the results, followed by residuals; @backward
// takes the residuals, followed by the cotangents of those results that have tangents, and gives
// the cotangents of those arguments that have tangents.
inline constexpr absl::string_view kCustomVjp = "acceld.custom_vjp";
// The values that the decomposition computes are not kept for reverse mode but computed again.
inline constexpr absl::string_view kCheckpoint = "acceld.checkpoint";
// The result is the operand, and its tangent is zero.
inline constexpr absl::string_view kStopGradient = "acceld.stop_gradient";

// Makes a call of the decomposition of each of these composites.
void EraseCustomRules(Module& module);

}  // namespace acceld::ir
