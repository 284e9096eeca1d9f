#pragma once

#include <vector>

#include "common/ir/module.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/passes/sorts/sort_keys.h"

namespace acceld::compiler {

// Changes a comparator so that it is a strict weak order also for NaN. In every key that is
// compared by value (SortKey::by_value), NaN then comes after all other values, or before them if
// the key is descending; SortRows::SortByDigits gives the same order. `comparator` is a region of
// the op that is being rewritten, and `keys` are its keys (FindSortKeys).
void OrderNan(Rewriter& rewriter, const std::vector<SortKey>& keys, ir::Region& comparator);

}  // namespace acceld::compiler
