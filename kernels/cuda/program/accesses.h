#pragma once

#include <vector>

#include "kernels/cuda/program/program.h"

namespace acceld::kernels::cuda {

// Bytes that something reads, or may write.
struct Access {
  Slice slice;
  bool is_written = false;
};

// What `step`, one of the program's, may touch, with all that is in it.
std::vector<Access> AccessesOf(const CudaProgram& program, const Step& step);

}  // namespace acceld::kernels::cuda
