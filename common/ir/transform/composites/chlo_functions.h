#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/emitter.h"
#include "common/ir/module.h"

// The functions of CHLO that StableHLO lacks, such as erf, as composites: their decompositions are
// expansions in elementary ops, whose derivatives nobody wants.
namespace acceld::ir {

// Appends a composite named `name` ("chlo.erf") of operands of one type, and adds its decomposition
// to `module` if that has none for the type yet. An error is that of the emitter.
ValueId ChloFunction(Module& module, Emitter& e, absl::string_view name,
                     std::vector<ValueId> operands);

}  // namespace acceld::ir
