#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// Checks everything that later stages rely on: names are unique and calls resolve without
// recursion; every value is defined once, before its uses and in the region of each use or a region
// around it; types are valid; each op satisfies its inference rule, and its declared result types
// are compatible with the inferred ones; the limits of limits.h. INVALID_ARGUMENT, with the
// function, the op, its line and the values, otherwise.
absl::Status Verify(const Module& module);
// As Verify, with another limit for the depth of regions, for programs that passes have changed.
absl::Status VerifyWithin(const Module& module, int max_region_depth);

// Returns an error for acceld's own ops ("acceld.fusion") and custom calls ("acceld.unwritten"),
// except host callbacks. Only the compiler makes these, and later stages trust their contents. For
// programs from outside; FromProto calls it.
absl::Status RefuseInternalOps(const Module& module);

}  // namespace acceld::ir
