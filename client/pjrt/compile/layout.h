#pragma once

#include <cstddef>
#include <cstdint>

#include "client/pjrt/abi/abi.h"

// Every array of the daemon is row-major.
namespace acceld::pjrt {

// The dimensions of an array of this rank from the fastest varying one on, as the interface lists
// them: rank - 1, ..., 0. Lives as long as the process.
const int64_t* RowMajorDimensions(size_t rank);

// The same as a layout.
PJRT_Buffer_MemoryLayout RowMajorLayout(size_t rank);

// True for that layout, and for none.
bool IsRowMajorLayout(const PJRT_Buffer_MemoryLayout* layout, size_t rank);

}  // namespace acceld::pjrt
