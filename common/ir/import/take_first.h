#pragma once

#include <vector>

#include "common/ir/builder.h"
#include "common/status.h"

// Takes the first elements along a dimension of several values of the same shape.
namespace acceld::ir {

// Takes the first `count` elements. The shape may be dynamic.
absl::StatusOr<std::vector<ValueId>> TakeFirst(FunctionBuilder& builder,
                                               std::vector<ValueId> values, int64_t dimension,
                                               int64_t count, absl::Span<const Type> result_types,
                                               Location location);

// The same for a number of elements that is a value of the program, an integer scalar.
absl::StatusOr<std::vector<ValueId>> TakeFirst(FunctionBuilder& builder,
                                               std::vector<ValueId> values, int64_t dimension,
                                               ValueId count, absl::Span<const Type> result_types,
                                               Location location);

}  // namespace acceld::ir
