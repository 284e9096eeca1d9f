#pragma once

#include <cstddef>

namespace acceld {

// What walks the regions of a program recurses, on whatever thread it is: with programs as deep as
// ir/limits.h allows, it takes about 1 MiB, and several times that with the address sanitizer.
inline constexpr size_t kThreadStackBytes = size_t{16} << 20;

// Makes threads that are started from now on, by this process's libraries, too, have at least
// kThreadStackBytes of stack, of which a thread takes what it touches. Without it that is what
// `ulimit -s` says, and 2 MiB where that says unlimited.
void EnsureThreadStacks();

}  // namespace acceld
