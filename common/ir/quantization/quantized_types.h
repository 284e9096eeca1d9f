#pragma once

#include "absl/types/span.h"
#include "common/ir/types/type.h"

// Functions for types that are, or contain in tuples, quantized tensors.
namespace acceld::ir {

// Whether the types are, or contain, quantized tensors.
bool HasQuantized(const Type& type);
bool HasQuantized(absl::Span<const Type> types);

// Returns the type of the stored values: quantized tensors become tensors of integers.
Type StorageTypeOf(const Type& type);
// Returns the type of the real numbers: quantized tensors become tensors of floats.
Type ExpressedTypeOf(const Type& type);

}  // namespace acceld::ir
