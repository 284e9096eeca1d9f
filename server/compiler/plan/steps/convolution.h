#pragma once

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// Returns the convolution as a library call, with no buffers set. Returns nullopt if the operands
// differ in type, if a tensor is empty, if there are more than three spatial dimensions, or if
// there are so few output features or so short sums that a loop nest is as fast.
absl::optional<kernels::ConvolutionStep> MatchConvolution(
    const ir::TensorType& lhs, const ir::TensorType& rhs, const ir::TensorType& result,
    const ir::ConvolutionAttributes& attributes);

// Whether the convolution reads contiguous elements of the input: along the features at one
// position, or along the innermost dimension of the output positions.
bool ReadsContiguously(const kernels::ConvolutionShape& shape);

// Returns the number of multiplications of a convolution with the kernel `rhs`.
double NumMultiplications(const ir::TensorType& rhs, const ir::TensorType& result,
                          const ir::ConvolutionDimensionNumbers& numbers);

}  // namespace acceld::compiler
