#pragma once

#include "client/pjrt/abi/abi.h"
#include "common/ir/types/dtype.h"
#include "common/status.h"

// Conversion between the interface's element types and ir::DType. Both have the same representation
// in host memory, where elements smaller than a byte take one byte each.
namespace acceld::pjrt {

PJRT_Buffer_Type ToPjrt(ir::DType dtype);
// UNIMPLEMENTED for a type that programs cannot use here, such as tokens and 1-bit integers.
absl::StatusOr<ir::DType> FromPjrt(PJRT_Buffer_Type type);

}  // namespace acceld::pjrt
