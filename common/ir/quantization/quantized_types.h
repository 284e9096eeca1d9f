#pragma once

#include "absl/types/span.h"
#include "common/ir/types/type.h"

// Types with quantized tensors in them, which may stand within tuples.
namespace acceld::ir {

bool HasQuantized(const Type& type);
bool HasQuantized(absl::Span<const Type> types);

// The type of what is stored: a quantized tensor becomes one of integers.
Type StorageTypeOf(const Type& type);
// The type of the reals that are meant: a quantized tensor becomes one of floats.
Type ExpressedTypeOf(const Type& type);

}  // namespace acceld::ir
