#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A sort of which only the first few elements are used becomes a partial sort: top_k reads its
// operand once. For comparators that certainly put elements in one order, and few enough elements
// that keeping them sorted costs little whatever the data.
absl::StatusOr<ir::Module> ShortenSorts(const ir::Module& module);

}  // namespace acceld::compiler
