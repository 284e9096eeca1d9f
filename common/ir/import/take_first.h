#pragma once

#include <vector>

#include "common/ir/builder.h"
#include "common/status.h"

// The first elements along a dimension of several values of one shape.
namespace acceld::ir {

// `count` of them. The shape may be dynamic.
absl::StatusOr<std::vector<ValueId>> TakeFirst(FunctionBuilder& builder,
                                               std::vector<ValueId> values, int64_t dimension,
                                               int64_t count, absl::Span<const Type> result_types,
                                               Location location);

// As many as `count` says, an integer scalar.
absl::StatusOr<std::vector<ValueId>> TakeFirst(FunctionBuilder& builder,
                                               std::vector<ValueId> values, int64_t dimension,
                                               ValueId count, absl::Span<const Type> result_types,
                                               Location location);

}  // namespace acceld::ir
