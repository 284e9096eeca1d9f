#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// The CUDA C++ type for a value of `dtype` in registers and in memory: bool, i8 to u64, f32 or f64.
// Floats of fewer than 32 bits are stored as their encoding, of type u8 or u16.
absl::string_view RegisterType(DType dtype);

// An expression of type RegisterType(dtype) for the value with these bits.
std::string ConstantText(DType dtype, uint64_t bits);

// An expression for `op`, of kernels/ir/scalar_ops.def, applied to operands that are given as
// expressions. It uses the functions of device/scalar.cuh.
std::string ScalarText(ScalarOp op, DType operand_dtype, DType result_dtype,
                       const std::vector<std::string>& operands);

}  // namespace acceld::kernels::cuda
