#pragma once

#include <cstddef>
#include <cstdint>

#include "client/pjrt/abi/abi.h"

// Memory layouts. Every array of the daemon is row-major.
namespace acceld::pjrt {

// Returns the dimensions of an array of this rank from the fastest varying one on, as the interface
// lists them: rank - 1, ..., 0. The list is valid as long as the process.
const int64_t* RowMajorDimensions(size_t rank);

// Returns the row-major layout for this rank.
PJRT_Buffer_MemoryLayout RowMajorLayout(size_t rank);

// Returns whether `layout` is the row-major layout for this rank, or nullptr.
bool IsRowMajorLayout(const PJRT_Buffer_MemoryLayout* layout, size_t rank);

}  // namespace acceld::pjrt
