#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that makes sorts of long rows parallel; without it, one thread sorts each row. Rows whose
// keys can be mapped to unsigned integers in the same order are sorted by radix sort, one digit
// after the other. Other rows are sorted by merge sort: runs are sorted separately and then merged
// in pairs, each merge by many threads. A partial sort first selects from parts of each row. All of
// these are stable. How rows are split depends only on the shape and the kind of device, so results
// do not depend on the number of threads. The pass runs after shorten-sorts and before
// isolate-nests and fusion.
//
// NaN keys that are compared by `<` come after all others, and by `>` before all others. With any
// other comparator that is no strict weak order, the results may lack some elements and repeat
// others.
absl::StatusOr<ir::Module> SplitSorts(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
