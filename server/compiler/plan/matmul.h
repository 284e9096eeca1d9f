#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// The dot_general as a batched matrix product over strided operands, without its places; nullopt
// when the batch, free or contracting dimensions of an operand do not lie in memory as one
// dimension each, or when something is empty.
absl::optional<kernels::MatmulStep> MatchMatmul(const ir::TensorType& lhs,
                                                const ir::TensorType& rhs,
                                                const ir::TensorType& result,
                                                const ir::DotDimensionNumbers& numbers);

// Dimensions of an operand that are neither batching nor contracting, ascending.
std::vector<int64_t> FreeDimensions(const ir::TensorType& type,
                                    const std::vector<int64_t>& batching,
                                    const std::vector<int64_t>& contracting);

}  // namespace acceld::compiler
