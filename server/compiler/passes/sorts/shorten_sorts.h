#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that replaces a sort by a partial sort if only the first few elements of its results are
// used, as in top_k. A partial sort reads its operand once and keeps those elements sorted. The
// pass requires a comparator that is certainly a strict weak order, and so few elements that
// keeping them sorted is cheap for any data.
absl::StatusOr<ir::Module> ShortenSorts(const ir::Module& module);

}  // namespace acceld::compiler
