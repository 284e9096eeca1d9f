#pragma once

#include "absl/container/flat_hash_set.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Returns the buffers to which the statements directly in the kernel's body store disjoint sets of
// elements, and from which none of them loads; the result of a concatenation, for example. Such
// statements need not wait for each other. The time is O(n log n) in the size of the kernel.
absl::flat_hash_set<uint32_t> BuffersWithDisjointStores(const Kernel& kernel,
                                                        const Constants& constants);

}  // namespace acceld::kernels::cuda
