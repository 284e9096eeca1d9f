#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "kernels/cpu/emit/buffer_facts.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// Returns a kernel that does the same as `kernel`, but computes one row while it writes the
// previous one. This is for kernels that process each row in several loops, the last of which
// writes the row's result to memory. The new kernel writes a row in the loop that computes most for
// the next row, so that neither the memory nor the processor has to wait for the other. Rows are
// divided into blocks; one thread processes the rows of a block in order.
//
//   row:  loops...; A; loops...; write      becomes      block of rows:
//                                                          row:  loops...; {write the previous
//                                                                row, and A}; loops...
//
// The first row of a block is written twice, at first with meaningless values, and the last one is
// computed twice. Therefore nothing else may read or write the buffers that are written. Returns
// nullopt where the transformation is not possible, or where a row takes too little computation for
// it.
absl::optional<Kernel> OverlapRows(const Kernel& kernel, const std::vector<BufferFacts>& facts);

}  // namespace acceld::kernels::cpu
