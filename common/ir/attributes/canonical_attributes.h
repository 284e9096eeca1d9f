#pragma once

#include "common/ir/module.h"

namespace acceld::ir {

// The op's attributes with every meaning spelled one way: defaults that depend on types or ranks
// are filled in (the type of a comparison, the sign of sort's dimension), lists that say nothing
// (windows of ones, zero padding, default precisions) are empty. The op must be verified.
OpAttributes CanonicalAttributes(const Op& op, const Function& function);

}  // namespace acceld::ir
