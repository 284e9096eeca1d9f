#pragma once

// Put before a function: the compiler generates it for several vector widths, and the widest one
// that the CPU supports is chosen when the program starts. All versions give the same results if
// the file is compiled without fused multiply-add. Not used with sanitizers, which are not
// initialized yet when the choice is made.
#if defined(__x86_64__) && !defined(ACCELD_ADDRESS_SANITIZER) && \
    !defined(ACCELD_THREAD_SANITIZER) && !defined(__clang__)
#define ACCELD_WIDE_VECTORS __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define ACCELD_WIDE_VECTORS
#endif
