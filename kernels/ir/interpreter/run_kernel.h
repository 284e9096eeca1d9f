#pragma once

#include <string>

#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Interprets a kernel on host memory, statement by statement, on the calling thread; slow, for
// tests. buffers[i] holds the bytes of kernel.buffers[i], in the storage layout of dtypes.def.
// Returns INTERNAL when the kernel is malformed, loads or stores out of bounds, or reads an element
// of scratch that it has not written; the message names the kernel, the buffer and the index.
// Parallel loops run in descending order, so that results reveal iterations that depend on their
// order.
absl::Status RunKernel(const Kernel& kernel, absl::Span<std::string* const> buffers);

}  // namespace acceld::kernels
