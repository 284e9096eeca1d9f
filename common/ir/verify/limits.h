#pragma once

#include <cstdint>

// Bounds on the contents of a program. A program that exceeds one gets INVALID_ARGUMENT (or, for
// sizes of whole messages, RESOURCE_EXHAUSTED) with the limit in the message.
namespace acceld::ir::limits {

inline constexpr int64_t kMaxRank = 32;
// Bytes of one tensor: 2^46 (64 TiB). Memory runs out long before, and products never overflow.
inline constexpr int64_t kMaxTensorBytes = int64_t{1} << 46;
// The nesting depth of regions, including the function's body, in every form of a program. Code
// that walks regions recurses, on a stack of kThreadStackBytes (common/threads/thread_stack.h).
inline constexpr int kMaxRegionDepth = 256;
// How many levels compiler passes may add: regions of fusions, and regions around loops.
inline constexpr int kMaxCompilerRegions = 8;
// The nesting depth of types, attributes and parentheses.
inline constexpr int kMaxDepth = 64;
// The depth of the call graph; recursion is always an error.
inline constexpr int kMaxCallDepth = 256;
inline constexpr int64_t kMaxOps = 1'000'000;
// The ops of a dynamic program after its functions were copied for each shape that they are called
// with; a large program may have more. Such copies are made while a call is submitted.
inline constexpr int64_t kMaxCopiedOps = 20'000;
inline constexpr int64_t kMaxFunctions = 100'000;
inline constexpr int64_t kMaxOperands = 100'000;
inline constexpr int64_t kMaxResults = 100'000;
// The processes of a program, replicas times partitions, its meshes, and the axes of each.
inline constexpr int64_t kMaxProcesses = 4096;
inline constexpr int64_t kMaxMeshes = 1000;
inline constexpr int64_t kMaxMeshAxes = 64;
// The number of the lowest priority of a sharding. Each priority is one more walk of propagation.
inline constexpr int64_t kMaxShardingPriority = 31;
inline constexpr int64_t kMaxNameBytes = 4096;
// The bytes of the text of one program, and of all its constants together.
inline constexpr int64_t kMaxProgramBytes = int64_t{1} << 30;

}  // namespace acceld::ir::limits
