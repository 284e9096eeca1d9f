#pragma once

#include "client/pjrt/abi/abi.h"
#include "common/ir/types/dtype.h"
#include "common/status.h"

// Element types of the interface and ours. In host memory both have the same bytes: sub-byte
// elements take one byte each.
namespace acceld::pjrt {

PJRT_Buffer_Type ToPjrt(ir::DType dtype);
// UNIMPLEMENTED for a type that programs cannot have here, such as tokens and 1-bit integers.
absl::StatusOr<ir::DType> FromPjrt(PJRT_Buffer_Type type);

}  // namespace acceld::pjrt
