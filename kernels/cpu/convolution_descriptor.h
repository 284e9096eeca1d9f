#pragma once

#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// All that a convolution is but for its addresses, as generated code hands it to the run-time
// support. Only int64_t fields.
struct ConvolutionDescriptor {
  int64_t input_dtype_number, output_dtype_number;
  ConvolutionShape shape;

  static ConvolutionDescriptor Of(const ConvolutionStep& step) {
    return {static_cast<int64_t>(step.input_dtype), static_cast<int64_t>(step.output_dtype),
            step.shape};
  }
  ir::DType input_dtype() const { return static_cast<ir::DType>(input_dtype_number); }
  ir::DType output_dtype() const { return static_cast<ir::DType>(output_dtype_number); }
  absl::Span<const int64_t> fields() const {
    return {reinterpret_cast<const int64_t*>(this), sizeof(*this) / sizeof(int64_t)};
  }
};
static_assert(std::is_trivially_copyable_v<ConvolutionDescriptor>);
static_assert(sizeof(ConvolutionDescriptor) == (2 + kConvolutionShapeFields) * sizeof(int64_t));

}  // namespace acceld::kernels::cpu
