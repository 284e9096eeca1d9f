#pragma once

#include <cstddef>

namespace acceld {

// The stack size of threads. Code that walks the regions of a program recurses, on whichever thread
// calls it. For programs nested as deeply as common/ir/verify/limits.h allows it takes about 1 MiB
// of stack, and several times that with the address sanitizer.
inline constexpr size_t kThreadStackBytes = size_t{16} << 20;

// Gives all threads of the process that are started afterwards, those of libraries too, a stack of
// at least kThreadStackBytes; a thread occupies only the pages that it touches. Without this call
// the size is what `ulimit -s` says, and 2 MiB where that is unlimited.
void EnsureThreadStacks();

}  // namespace acceld
