#pragma once

#include <string>

#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Runs a kernel on host memory, statement by statement: slow, obvious, single-threaded; for tests.
// `buffers[i]` holds the bytes of kernel.buffers[i], in the storage layout of dtypes.def. INTERNAL
// when the kernel is malformed, loads or stores out of bounds, or reads scratch that it has not
// written; the message names the kernel, the buffer and the index. Parallel loops run backwards, so
// that iterations which depend on their order are noticed.
absl::Status RunKernel(const Kernel& kernel, absl::Span<std::string* const> buffers);

}  // namespace acceld::kernels
