#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"

namespace acceld::compiler {

// One key by which the comparator of a sort orders elements.
struct SortKey {
  // The key of the first element: a value of the comparator's region, of a real or integer type. It
  // is computed from the parameters 0, 2, 4, ... of the region (the first element), from
  // constants, and from values outside the region.
  ir::ValueId value;
  bool descending = false;
  // True for floats that are compared by `<` or `>` and not in the total order: -0 and +0 are equal
  // then, and comparisons with NaN are false, so that NaN has no position in the order.
  bool by_value = false;
  // The comparisons of this key in the comparator: `<` or `>`, and `==` if other keys follow.
  std::vector<ir::ValueId> comparisons = {};
};

// Analyzes a comparator that compares keys by `<` or `>`, lexicographically if there are several.
// Each key must be computed from both elements in the same way. Returns the keys, the most
// significant first, or nullopt for other comparators. If no key is by value, the comparator is a
// strict weak order.
absl::optional<std::vector<SortKey>> FindSortKeys(const ir::Function& function,
                                                  const ir::Region& comparator);

}  // namespace acceld::compiler
