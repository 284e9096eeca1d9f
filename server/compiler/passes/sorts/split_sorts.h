#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Makes sorts of long rows parallel, which one thread a row would otherwise do. Rows with keys
// whose bits have an order are sorted digit by digit; others in runs, which are merged pair by
// pair, each by many workers. What a partial sort keeps is looked for in parts of the rows first.
// All of it is stable. How rows are cut follows from the shape and the kind of device, so results
// do not depend on the number of threads. After sorts were shortened; before nests are isolated and
// fused.
//
// Keys that are compared by `<` may be NaN: then these go behind all others, by `>` before them.
// Any other comparator that puts elements in no order gives results in some order, in which
// elements may be missing and others repeated.
absl::StatusOr<ir::Module> SplitSorts(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
