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

// Checks that a composite named `name`, of a name that has a rule, has the operands and results of
// that function. Returns INVALID_ARGUMENT if not.
absl::Status CheckChloFunction(absl::string_view name, const std::vector<Type>& operands,
                               const std::vector<Type>& results);

}  // namespace acceld::ir
