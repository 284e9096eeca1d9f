#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "client/pjrt/abi/abi.h"
#include "common/ir/types/type.h"
#include "common/status.h"

// Conversion between host memory in the framework's layout and the daemon's row-major layout.
namespace acceld::pjrt {

// Returns whether an array with these strides (in bytes, one for each dimension) is row-major
// without gaps. The strides of dimensions of size 1, and of arrays without elements, do not matter.
bool IsRowMajor(const ir::TensorType& type, absl::Span<const int64_t> byte_strides);

// Copies an array with these strides to a row-major array `to`, which has type.size_bytes() bytes.
void Gather(const ir::TensorType& type, const char* from, absl::Span<const int64_t> byte_strides,
            char* to);
// Copies a row-major array to an array with these strides.
void Scatter(const ir::TensorType& type, const char* from, char* to,
             absl::Span<const int64_t> byte_strides);

// Returns the byte strides that a layout describes for an array of this type. UNIMPLEMENTED for
// tiled layouts, INVALID_ARGUMENT for a wrong number of dimensions.
absl::StatusOr<ir::Dims> StridesOf(const PJRT_Buffer_MemoryLayout& layout,
                                   const ir::TensorType& type);

// Returns whether bytes of host memory must be normalized to become elements of this type: the
// daemon requires booleans to be 0 or 1, and integers smaller than a byte to be extended to a byte.
bool NeedsNormalizing(ir::DType dtype, const char* bytes, size_t size_bytes);
// Normalizes bytes as described above.
void Normalize(ir::DType dtype, absl::Span<char> bytes);

}  // namespace acceld::pjrt
