#pragma once

#include "common/ir/module.h"

namespace acceld::ir {

// Returns the op's attributes in a form in which equal meanings have equal attributes. Defaults
// that depend on types or ranks are filled in (the type of a comparison, a negative dimension of a
// sort); lists that hold nothing but defaults (windows of ones, zero padding, default precisions)
// are empty. The op must be verified.
OpAttributes CanonicalAttributes(const Op& op, const Function& function);

}  // namespace acceld::ir
