#pragma once

#include "absl/container/flat_hash_set.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// The buffers that several statements of the kernel's body store to, each to elements of its own,
// and none loads: as the parts of a concatenation do. Such statements need not wait for each other.
// Takes time like the kernel, but for sorting.
absl::flat_hash_set<uint32_t> BuffersWrittenApart(const Kernel& kernel, const Constants& constants);

}  // namespace acceld::kernels::cuda
