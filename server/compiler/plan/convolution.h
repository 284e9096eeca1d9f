#pragma once

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// The convolution as a library call, without its places; nullopt when something is empty, or when
// it has so few output features that a loop nest does as well.
absl::optional<kernels::ConvolutionStep> MatchConvolution(
    const ir::TensorType& lhs, const ir::TensorType& rhs, const ir::TensorType& result,
    const ir::ConvolutionAttributes& attributes);

// Whether the elements under the window lie together in the input, along features or places.
bool ReadsNeighbours(const kernels::ConvolutionShape& shape);

// Multiplications that the convolution is.
double WorkOf(const ir::TensorType& rhs, const ir::TensorType& result,
              const ir::ConvolutionDimensionNumbers& numbers);

}  // namespace acceld::compiler
