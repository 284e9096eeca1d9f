#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/types/dtype.h"
#include "kernels/cuda/program/program.h"
#include "kernels/ir/collective.h"

// The kernels that a program with collectives has besides those of its plan. NCCL moves the bytes;
// these kernels rearrange parts and combine elements, in the order of the members, as the
// interpreter does: f16 and bf16 in f32 and rounded once, smaller floats rounded after each step,
// integers wrap, minimum and maximum of floats are NaN if one of the elements is, and -0 is less
// than +0. So results do not depend on NCCL's version, on the sizes, or on how devices are
// connected.
namespace acceld::kernels::cuda {

inline constexpr int kCollectiveThreads = 256;  // of each block of these kernels

// The device code that must follow ModulePrelude() and precede the kernels, once in each module.
absl::string_view CollectivePrelude();

// The kernel void(u64 to, u64 from, i64 outer, i64 parts, i64 row_bytes), which swaps the two outer
// dimensions of an array: to[part][o] = from[o][part], each a row of row_bytes. The addresses are
// of disjoint memory.
inline constexpr absl::string_view kSwapRowsKernel = "collective_swap_rows";
// Returns the name of the kernel void(u64 to, u64 from, i64 count, i64 stride_bytes, i64 members),
// which combines elements: to[i] of the `members` arrays of `count` elements that begin at
// `from` + k * `stride_bytes`. kernels::CanCombine must hold for the arguments.
std::string CombineKernelName(ir::DType dtype, Collective::Combiner combiner);

// Returns the names of the kernels that a collective needs.
std::vector<std::string> CollectiveKernelsOf(const Collective& collective);

// Whether NCCL itself may combine elements: integers of its types, where neither the order nor the
// algorithm changes the result. If so, sets NCCL's numbers of the type and of the operation
// (ncclDataType_t, ncclRedOp_t).
bool IsCombinedByNccl(ir::DType dtype, Collective::Combiner combiner, int& type, int& operation);

// Adds the kernels for all collectives of the program, equal ones once, and appends their source to
// `source`.
void LowerCollectives(CudaProgram& program, std::string& source);

}  // namespace acceld::kernels::cuda
