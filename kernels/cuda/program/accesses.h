#pragma once

#include <vector>

#include "kernels/cuda/program/program.h"

namespace acceld::kernels::cuda {

// A slice that a step may read (or write, if `is_written`).
struct Access {
  Slice slice;
  bool is_written = false;
};

// Returns all accesses that `step`, a step of the program, may make, including those of the steps
// inside it. If it writes a result that may share memory with an argument (may_share), the argument
// counts as written, too.
std::vector<Access> AccessesOf(const CudaProgram& program, const Step& step);

}  // namespace acceld::kernels::cuda
