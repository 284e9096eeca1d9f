#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/module.h"

namespace acceld::pjrt {

// Replaces the tokens among the parameters and results of the function `entry`. JAX orders side
// effects across programs by passing tokens (!stablehlo.token) from one program to the next, but
// the daemon passes only arrays between programs. Each token therefore becomes an array without
// elements, tensor<0xi1>, which is also what JAX passes for it. The order is preserved: the array
// is ready when the program that makes it has ended, and the next program waits for it. Each
// participant of a program for several devices has such an array. `module` must be verified, and
// the result is still valid.
ir::Module ReplaceEntryTokens(ir::Module module, absl::string_view entry);

}  // namespace acceld::pjrt
