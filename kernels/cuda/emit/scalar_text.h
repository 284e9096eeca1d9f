#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// The type of a value of `dtype` in registers and in memory: bool, i8 to u64, f32, f64. Floats of
// fewer than 32 bits are their encoding, u8 or u16.
absl::string_view RegisterType(DType dtype);

// A constant of RegisterType(dtype) with these bits.
std::string ConstantText(DType dtype, uint64_t bits);

// `op` on operands that are written so, by the functions of device/scalar.cuh.
std::string ScalarText(ScalarOp op, DType operand_dtype, DType result_dtype,
                       const std::vector<std::string>& operands);

}  // namespace acceld::kernels::cuda
