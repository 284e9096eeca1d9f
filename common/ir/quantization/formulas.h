#pragma once

#include "common/ir/builder.h"
#include "common/ir/quantization/quantization.h"

// From integers to the reals that they stand for and back. Source: StableHLO specification,
// "Quantization computations".
namespace acceld::ir {

// The reals that the integers of `stored` stand for, in the expressed type.
ValueId Dequantize(FunctionBuilder& builder, ValueId stored, const Quantization& quantization,
                   Location location);

// The integers that stand for `real`, a tensor of the expressed type: each the nearest (ties to
// even) within the bounds.
ValueId Quantize(FunctionBuilder& builder, ValueId real, const Quantization& quantization,
                 Location location);

}  // namespace acceld::ir
