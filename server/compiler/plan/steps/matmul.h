#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// Whether a dot_general with this algorithm may round operands of f32 to TF32. That is so if the
// algorithm multiplies the operands once, rounded to TF32 or to a float of at most 16 bits: TF32
// keeps every bit that such a rounding leaves.
bool AllowsTf32(const std::optional<ir::DotAlgorithm>& algorithm);

// Returns the dot_general as a batched matrix product of operands with strides, with no buffers
// set. Returns nullopt if the operands differ in type, if an operand is empty, if the free or
// contracting dimensions of an operand cannot be read as one dimension each, or the batch
// dimensions as one or as groups of one, or if no stride of a matrix is 1.
//
// Products of f32 are computed in full precision whatever precision_config says, unless the
// algorithm allows TF32.
absl::optional<kernels::MatmulStep> MatchMatmul(const ir::TensorType& lhs,
                                                const ir::TensorType& rhs,
                                                const ir::TensorType& result,
                                                const ir::DotGeneralAttributes& attributes);

// As MatchMatmul, for the product with both operands transposed to the order (batch, free,
// contracting). Returns nullopt if the operands differ in type or an operand is empty.
absl::optional<kernels::MatmulStep> ContiguousMatmul(const ir::TensorType& lhs,
                                                     const ir::TensorType& rhs,
                                                     const ir::TensorType& result,
                                                     const ir::DotGeneralAttributes& attributes);

// Returns the dimensions of an operand that are neither batching nor contracting, ascending.
std::vector<int64_t> FreeDimensions(const ir::TensorType& type,
                                    const std::vector<int64_t>& batching,
                                    const std::vector<int64_t>& contracting);

}  // namespace acceld::compiler
