#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// Checks everything that later stages rely on: names are unique and calls resolve without
// recursion; every value is defined once, before its uses and in a scope that sees them; types are
// valid; each op satisfies its inference rule and its declared result types are compatible with the
// inferred ones; limits of limits.h. INVALID_ARGUMENT names the
// function, the op, its line and the values.
absl::Status Verify(const Module& module);
// The same with another limit for regions, for what passes have made of a program.
absl::Status VerifyWithin(const Module& module, int max_region_depth);

// Refuses acceld's own ops ("acceld.fusion") and custom calls ("acceld.unwritten"), which only the
// compiler makes and whose contents later stages trust. For programs from outside; FromProto
// includes it.
absl::Status RefuseInternalOps(const Module& module);

}  // namespace acceld::ir
