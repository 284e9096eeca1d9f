#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/module.h"

namespace acceld::pjrt {

// JAX hands the order of effects from one program to the next by tokens: parameters and results of
// the entry that have the type !stablehlo.token. On the daemon only arrays are handed from program
// to program, so each becomes an array without elements, tensor<0xi1>, which is what JAX passes for
// it. The order holds all the same: the array is there when the program that makes it has ended,
// and the next one waits for it. `module` is verified, and stays so.
ir::Module ReplaceEntryTokens(ir::Module module, absl::string_view entry);

}  // namespace acceld::pjrt
