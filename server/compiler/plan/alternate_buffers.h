#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ir/plan.h"

namespace acceld::compiler {

// A carried value of a loop that the loop's body computes in a temporary buffer and then copies to
// where the next iteration reads it.
struct CopiedBack {
  kernels::Slice carried, temporary;
};

// Both functions take loops whose buffers in the arena still have numbers instead of offsets
// (BufferTable): slices are of the same buffer if space and index are equal.

// The values of at least `min_bytes` that the last steps of the body copy back, and for which
// AlternateBuffers is worth the code of a second body. Empty for loops that wait for others (host
// calls, collectives), whose condition is more than a few launches, and with much code. The
// temporary buffers still have to be checked: what is in them must not be needed from one iteration
// to the next.
std::vector<CopiedBack> FindCopiedBack(const kernels::WhileStep& loop, int64_t min_bytes);

// Makes the loop compute these values in turns in their two buffers, instead of copying them back:
//
//   while (condition) {
//     body, from the carried buffers to the temporary ones
//     if (condition, for the temporary buffers) {
//       body, from the temporary buffers to the carried ones
//     } else {
//       copy the temporary buffers to the carried ones
//     }
//   }
//
// The temporary buffers must be kept as long as the loop runs.
void AlternateBuffers(const std::vector<CopiedBack>& values, kernels::WhileStep& loop);

}  // namespace acceld::compiler
