#pragma once

#include <vector>

#include "common/ir/module.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/passes/sorts/sort_keys.h"

namespace acceld::compiler {

// Makes a comparator put all elements in one order, but for equal ones: NaN goes behind all other
// values of a key by value, or before them where it is descending, as where keys are sorted by
// their digits. `keys`: those of this comparator, a region of the op that is being rewritten.
void PlaceNan(Rewriter& rewriter, const std::vector<SortKey>& keys, ir::Region& comparator);

}  // namespace acceld::compiler
