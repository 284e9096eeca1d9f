#pragma once

#include <cstdint>
#include <string>

#include "kernels/ir/kernel.h"

// Kernel IR as CUDA C++.
namespace acceld::kernels::cuda {

// A kernel as one function of a module.
struct CudaKernel {
  // extern "C" __global__ void NAME(one pointer for each buffer of the kernel, const volatile int*
  // cancelled if `polls`), behind the module's prelude. Each is an address or, odd, the address of
  // one (device/places.cuh). Buffers begin at multiples of 64 bytes and may share their places as
  // far as the kernel allows it.
  std::string source;
  int64_t blocks = 1;
  int threads = 1;            // of a block, a multiple of 32 or 1
  bool polls = false;         // stops when *cancelled is not zero
  bool has_barriers = false;  // threads of a block wait for each other
};

// How work is shared out.
struct Sharing {
  // The threads of a block work on one row (an iteration of the outermost parallel loops) together,
  // rather than each on a row of its own,
  int64_t long_row = 128;     // when a row has so much to share
  int64_t short_row = 32;     // or so much, and there are
  int64_t few_rows = 16'384;  // fewer rows, which would not fill a device
  // A thread takes several neighbouring elements where so many threads still have work.
  int64_t busy_threads = 65'536;
  // Of fewer columns than that, each is reduced by several threads, if each has so many rows.
  int64_t busy_columns = 65'536;
  int64_t rows_of_thread = 8;
  // Transposes of so many rows and columns go through shared memory.
  int64_t tile_extent = 16;
};

// A verified kernel. Results do not depend on the device: how work is cut is decided here.
CudaKernel PrintKernel(const Kernel& kernel, const Sharing& sharing = {});

}  // namespace acceld::kernels::cuda
