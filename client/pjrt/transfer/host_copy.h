#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "client/pjrt/abi/abi.h"
#include "common/ir/types/type.h"
#include "common/status.h"

// Host memory in the order that a framework has it, and row-major as the daemon has it.
namespace acceld::pjrt {

// True when an array with these strides (in bytes, one for each dimension) is row-major without
// gaps. Dimensions of size 1 have any stride, and so have those of an array without elements.
bool IsRowMajor(const ir::TensorType& type, absl::Span<const int64_t> byte_strides);

// Copies an array with these strides to a row-major one. `to` has type.size_bytes() bytes.
void Gather(const ir::TensorType& type, const char* from, absl::Span<const int64_t> byte_strides,
            char* to);
// The opposite.
void Scatter(const ir::TensorType& type, const char* from, char* to,
             absl::Span<const int64_t> byte_strides);

// The strides in bytes that a layout means for an array of this type. UNIMPLEMENTED for tiles,
// INVALID_ARGUMENT for one with a wrong number of dimensions.
absl::StatusOr<ir::Dims> StridesOf(const PJRT_Buffer_MemoryLayout& layout,
                                   const ir::TensorType& type);

// True when bytes of host memory must be changed before they are elements of this type as the
// daemon has them: booleans are 0 or 1, integers below a byte are extended to a byte.
bool NeedsNormalizing(ir::DType dtype, const char* bytes, size_t size_bytes);
void Normalize(ir::DType dtype, absl::Span<char> bytes);

}  // namespace acceld::pjrt
