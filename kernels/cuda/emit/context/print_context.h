#pragma once

#include <cstdint>

#include "kernels/cuda/emit/analysis/cancellation_polls.h"
#include "kernels/cuda/emit/analysis/cooperative_work.h"
#include "kernels/cuda/emit/context/barriers.h"
#include "kernels/cuda/emit/context/code_writer.h"
#include "kernels/cuda/emit/context/expressions.h"
#include "kernels/cuda/emit/context/launch_size.h"
#include "kernels/cuda/emit/context/shared_memory.h"
#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// What the functions that print the parts of one kernel share: facts about the kernel, which do not
// change, and what has been printed so far, with what it needs of its launch. The kernel must
// outlive the context and must not change. Thread-compatible.
struct PrintContext {
  // The time is linear in the size of the kernel.
  PrintContext(const Kernel& kernel, const WorkDivision& work_division);

  const Kernel& kernel;
  const WorkDivision work_division;
  const CooperativeWork cooperative_work;
  const CancellationPolls cancellation_polls;
  const Constants constants;
  const KernelExpressions expressions;
  const int64_t scratch_bytes;  // of all scratch arrays of the kernel

  CodeWriter out;  // the body of the kernel's function
  LaunchSize launch_size;
  SharedMemory shared_memory;
  Barriers barriers;
  bool polls = false;  // whether the code reads *cancelled
};

// The size of a buffer or scratch array.
int64_t SizeBytesOf(const BufferParameter& buffer);

}  // namespace acceld::kernels::cuda
