#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace acceld::kernels::cuda {

// A group of threads that executes statements together: every thread of the group computes the
// scalars, the iterations of parallel loops and of reductions are distributed among the threads,
// and a single thread executes other stores.
enum class ThreadGroup : uint8_t {
  kGrid,    // all threads of the launch
  kBlock,   // the threads of a thread block
  kColumn,  // the threads of a thread block that share a column (nests/print_columns.h)
  kThread,  // one thread
};

// Returns an "if (...) " that is true for one thread of the group; empty for a single thread.
absl::string_view IfFirst(ThreadGroup group);

}  // namespace acceld::kernels::cuda
