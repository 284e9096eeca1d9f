#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// Whether operands of f32 may be rounded to TF32: MatchMatmul says when.
bool AllowsTf32(const std::optional<ir::DotAlgorithm>& algorithm);

// The dot_general as a batched matrix product over strided operands, without its places; nullopt
// when the batch, free or contracting dimensions of an operand do not lie in memory as one
// dimension each, or when something is empty.
//
// Products of f32 are in full precision, also where precision_config is DEFAULT: HIGH and HIGHEST
// ask for no less. TF32 is allowed by an algorithm that multiplies the operands once, rounded to
// TF32 or to a float of at most 16 bits: TF32 keeps every bit that such a rounding leaves.
absl::optional<kernels::MatmulStep> MatchMatmul(const ir::TensorType& lhs,
                                                const ir::TensorType& rhs,
                                                const ir::TensorType& result,
                                                const ir::DotGeneralAttributes& attributes);

// The product as it would be with both operands transposed to (batch, free, contracting); nullopt
// when the operands differ in type or something is empty.
absl::optional<kernels::MatmulStep> ContiguousMatmul(const ir::TensorType& lhs,
                                                     const ir::TensorType& rhs,
                                                     const ir::TensorType& result,
                                                     const ir::DotGeneralAttributes& attributes);

// Dimensions of an operand that are neither batching nor contracting, ascending.
std::vector<int64_t> FreeDimensions(const ir::TensorType& type,
                                    const std::vector<int64_t>& batching,
                                    const std::vector<int64_t>& contracting);

}  // namespace acceld::compiler
