#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"

namespace acceld::compiler {

// What a comparator compares first, second, ...
struct SortKey {
  // Of the comparator's region: computed from its parameters of even numbers, those of the element
  // that may go first, from constants and from values around. Real.
  ir::ValueId value;
  bool descending = false;
  // Of floats compared by `<` or `>`: zeros are equal, and NaN has no place.
  bool by_value = false;
  // The results of what compares it in the comparator: `<` or `>`, and `==` if keys follow.
  std::vector<ir::ValueId> comparisons = {};
};

// The keys of a comparator that is `<` or `>` of keys that both elements have in the same way,
// lexicographically if there are several; nullopt for other comparators. Where no key is by value,
// it puts all elements in one order, but for equal ones.
absl::optional<std::vector<SortKey>> FindSortKeys(const ir::Function& function,
                                                  const ir::Region& comparator);

}  // namespace acceld::compiler
