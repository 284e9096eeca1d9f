#pragma once

#include <cstdint>

// Bounds on what a program may contain. Exceeding one is an INVALID_ARGUMENT (or, for sizes of
// whole messages, RESOURCE_EXHAUSTED) that names the limit.
namespace acceld::ir::limits {

inline constexpr int64_t kMaxRank = 32;
// Bytes of one tensor: 2^46 (64 TiB); memory runs out long before, products never overflow.
inline constexpr int64_t kMaxTensorBytes = int64_t{1} << 46;
// Nesting of regions, the body of a function among them, in whatever form a program comes. What
// walks regions recurses, on a stack of kThreadStackBytes (common/threads/thread_stack.h).
inline constexpr int kMaxRegionDepth = 256;
// What passes may add to that: the regions of fusions, and what they put around loops.
inline constexpr int kMaxCompilerRegions = 8;
// Nesting of types, attributes, parentheses.
inline constexpr int kMaxDepth = 64;
// Depth of the call graph; recursion is refused altogether.
inline constexpr int kMaxCallDepth = 256;
inline constexpr int64_t kMaxOps = 1'000'000;
// Ops of a dynamic program whose functions were copied for each shape they are called with; a large
// program may have more. Such copies are made while a call is submitted.
inline constexpr int64_t kMaxCopiedOps = 20'000;
inline constexpr int64_t kMaxFunctions = 100'000;
inline constexpr int64_t kMaxOperands = 100'000;
inline constexpr int64_t kMaxResults = 100'000;
inline constexpr int64_t kMaxNameBytes = 4096;
// Text of one program, and bytes of all its constants together.
inline constexpr int64_t kMaxProgramBytes = int64_t{1} << 30;

}  // namespace acceld::ir::limits
