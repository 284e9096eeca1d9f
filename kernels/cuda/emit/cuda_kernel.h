#pragma once

#include <cstdint>
#include <string>

#include "kernels/ir/kernel.h"

// Translates kernel IR to CUDA C++.
namespace acceld::kernels::cuda {

// A kernel as one function of a module.
struct CudaKernel {
  // The function extern "C" __global__ void NAME(one pointer for each buffer of the kernel, const
  // volatile int* cancelled if `polls`). It must follow ModulePrelude(). Each parameter is a tagged
  // pointer (device/tagged_pointers.cuh): with bit 0 clear it is the address of the buffer; with
  // bit 0 set (and cleared before use) it is the address of a memory cell that holds the buffer's
  // address. Buffers are aligned to 64 bytes, and may be the same memory where the kernel allows
  // that.
  std::string source;
  int64_t blocks = 1;
  int threads = 1;            // of each block: 1 or a multiple of 32
  bool polls = false;         // whether the kernel returns early when *cancelled is not zero
  bool has_barriers = false;  // whether threads of a block synchronize with each other
};

// Parameters of the division of a kernel's work among threads.
struct WorkDivision {
  // A row is an iteration of the outermost parallel loop nest. A thread block computes one row
  // together, instead of each thread a row, if the row has at least long_row iterations to share;
  // or at least short_row, and there are fewer than few_rows rows, too few to fill a device.
  int64_t long_row = 128;
  int64_t short_row = 32;
  int64_t few_rows = 16'384;
  // A thread computes several adjacent elements if at least this many threads still have work.
  int64_t busy_threads = 65'536;
  // With fewer columns than busy_columns, several threads reduce each column, if each thread gets
  // at least rows_of_thread rows.
  int64_t busy_columns = 65'536;
  int64_t rows_of_thread = 8;
  // Transposes go through shared memory if they have at least this many rows and columns.
  int64_t tile_extent = 16;
};

// Prints a kernel, which must be verified. The division of work, on which the order of sums
// depends, is decided here, so results do not depend on the device.
CudaKernel PrintKernel(const Kernel& kernel, const WorkDivision& work_division = {});

}  // namespace acceld::kernels::cuda
