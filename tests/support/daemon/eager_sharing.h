#pragma once

#include "kernels/cuda/emit/cuda_kernel.h"

namespace acceld::testing {

// All that threads can do together, however small: tests have no large programs.
inline constexpr kernels::cuda::WorkDivision kEagerSharing = {
    .long_row = 2, .short_row = 2, .busy_threads = 1, .rows_of_thread = 1, .tile_extent = 2};

// The same as far as results stay the same, bit by bit.
inline constexpr kernels::cuda::WorkDivision kEagerElements = {.busy_threads = 1, .tile_extent = 2};

}  // namespace acceld::testing
