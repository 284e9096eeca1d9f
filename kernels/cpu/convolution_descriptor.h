#pragma once

#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Describes a convolution completely, except for the addresses of its operands and of its result.
// Generated code passes the descriptor to the run-time support (ConvolutionFunction in
// support_abi.h) as an array of integers, so all members have the type int64_t.
struct ConvolutionDescriptor {
  int64_t input_dtype_number, output_dtype_number;
  ConvolutionShape shape;

  static ConvolutionDescriptor Of(const ConvolutionStep& step) {
    return {static_cast<int64_t>(step.input_dtype), static_cast<int64_t>(step.output_dtype),
            step.shape};
  }
  ir::DType input_dtype() const { return static_cast<ir::DType>(input_dtype_number); }
  ir::DType output_dtype() const { return static_cast<ir::DType>(output_dtype_number); }
  // Returns the descriptor as an array of its int64_t members. The span is valid as long as the
  // descriptor.
  absl::Span<const int64_t> fields() const {
    return {reinterpret_cast<const int64_t*>(this), sizeof(*this) / sizeof(int64_t)};
  }
};
static_assert(std::is_trivially_copyable_v<ConvolutionDescriptor>);
static_assert(sizeof(ConvolutionDescriptor) == (2 + kConvolutionShapeFields) * sizeof(int64_t));

}  // namespace acceld::kernels::cpu
