#pragma once

#include "absl/types/optional.h"
#include "common/ir/module.h"

namespace acceld::ir {

// Returns the op that combines accumulator and element in result `i` of a reducer region, such as
// add, if the result is that op on these two and nothing else; nullopt otherwise. The region has an
// accumulator and an element for each of its results. For reduce, reduce_window, scatter and the
// scatter of select_and_scatter.
absl::optional<OpKind> ReducerOf(const Region& region, size_t i = 0);

// Whether a value is that of the op of no numbers at all: -infinity for a maximum, infinity for a
// minimum. False for nullptr.
bool IsIdentity(OpKind extremum, const Literal* value);

// Whether result `i` of the region is the element, so that elements replace what was there.
bool IsReplacement(const Region& region, size_t i = 0);

}  // namespace acceld::ir
