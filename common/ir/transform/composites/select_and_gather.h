#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/emitter.h"
#include "common/ir/transform/differentiate.h"

// The tangent of the maximum, or minimum, of each window.
namespace acceld::ir {

inline constexpr absl::string_view kSelectAndGather = "acceld.select_and_gather";

// Adds an op that takes, from each window, the element of `tangents` at which `values` has its
// maximum (`extremum` is kMaximum) or minimum; of several the first. It is linear in `tangents`.
// The op is a composite of the name above, so that its transpose is found; its decomposition, a
// reduce_window of pairs, is added to the module of `differentiator`.
ValueId SelectAndGather(Differentiator& differentiator, Emitter& e, ValueId tangents,
                        ValueId values, const WindowAttributes& window, OpKind extremum);

// Checks that a composite of that name has been made by SelectAndGather. Returns INVALID_ARGUMENT
// if not.
absl::Status CheckSelectAndGather(const Module& module, const Op& op);

}  // namespace acceld::ir
