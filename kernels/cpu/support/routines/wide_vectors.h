#pragma once

// Before a function: it is compiled for several widths of vectors, and the widest that the CPU has
// is chosen when the program starts. All give the same where the file is compiled without fused
// multiplications and additions. Sanitizers are not ready when that choice is made.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
#define ACCELD_WIDE_VECTORS __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define ACCELD_WIDE_VECTORS
#endif
