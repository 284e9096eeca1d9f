#pragma once

#include "common/ir/builder.h"
#include "common/ir/quantization/quantization.h"

// Conversions between stored integers and the real numbers that they represent. Source: StableHLO
// specification, "Quantization computations".
namespace acceld::ir {

// Appends ops that convert the integers `stored` to the real numbers that they represent, in the
// expressed type.
ValueId Dequantize(FunctionBuilder& builder, ValueId stored, const Quantization& quantization,
                   Location location);

// Appends ops that convert `real`, a tensor of the expressed type, to the nearest integers (ties to
// even) within the bounds of the storage.
ValueId Quantize(FunctionBuilder& builder, ValueId real, const Quantization& quantization,
                 Location location);

}  // namespace acceld::ir
