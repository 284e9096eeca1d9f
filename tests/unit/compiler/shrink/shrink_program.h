#pragma once

#include <cstdint>
#include <functional>

#include "tests/unit/compiler/random/random_program.h"

namespace acceld::compiler {

// Whether a program still fails in the way that is looked for.
using StillFails = std::function<bool(const RandomProgram&)>;

// A small program that still fails: the given one with results, ops, parameters and functions taken
// away, for as long as one more step leaves the failure in place, or until `max_trials` programs
// were asked about. `still_fails` sees verified programs only, with fitting arguments, and has said
// yes to the one that is returned (or to the given one, which it is not asked about).
//
// A value is replaced by an operand of its op, or by a constant or a new parameter: at the top of
// the entry one that is what the interpreter computes there. What random programs promise holds for
// the small one, too: what decides how often a loop runs stays, regions of reductions and sorts
// stay as they are, and so do clamps, which keep values that depend on rounding within bounds.
RandomProgram ShrinkProgram(RandomProgram program, const StillFails& still_fails,
                            int64_t max_trials = 3000);

}  // namespace acceld::compiler
