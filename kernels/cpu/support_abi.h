#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/cpu_module.h"

// The binary interface between generated code and the run-time support: symbols, places in
// LaunchContext, status codes. A change here changes the meaning of cached objects:
// bump kSupportAbiVersion, which CpuTarget::ToString carries into the cache key.
namespace acceld::kernels::cpu {

inline constexpr int kSupportAbiVersion = 5;

// What generated functions return.
enum class CodeStatus : int32_t { kOk = 0, kCancelled = 1, kFailed = 2 };

inline constexpr char kParallelForSymbol[] = "acceld_cpu_parallel_for";
inline constexpr char kParallelForPointersSymbol[] = "acceld_cpu_parallel_for_pointers";
inline constexpr char kMatmulSymbol[] = "acceld_cpu_matmul";
inline constexpr char kConvolutionSymbol[] = "acceld_cpu_convolution";
inline constexpr char kRoutineSymbol[] = "acceld_cpu_routine";
inline constexpr char kHostCallSymbol[] = "acceld_cpu_host_call";
inline constexpr char kCopySymbol[] = "acceld_cpu_copy";
inline constexpr char kPollSymbol[] = "acceld_cpu_poll";
inline constexpr char kAllocateSymbol[] = "acceld_cpu_allocate";
inline constexpr char kReleaseSymbol[] = "acceld_cpu_release";

// One tile of a parallel loop: (frame, tile) -> CodeStatus.
using TileFunction = int32_t (*)(const void* frame, int64_t tile);
// (context, function, frame, num_tiles) -> CodeStatus.
using ParallelForFunction = int32_t (*)(const LaunchContext*, TileFunction, const void*, int64_t);
// (context, {function, pointers...}, number of pointers, num_tiles) -> CodeStatus, where a tile is
// function(pointers..., tile) -> CodeStatus. There are at most kMaxTilePointers.
using ParallelForPointersFunction = int32_t (*)(const LaunchContext*, void* const*, int64_t,
                                                int64_t);
inline constexpr int64_t kMaxTilePointers = 32;
// (context, descriptor, lhs, rhs, out) -> CodeStatus; the descriptor's layout is MatmulKey's.
using MatmulFunction = int32_t (*)(const LaunchContext*, const int64_t*, const void*, const void*,
                                   void*);
// The same for a ConvolutionDescriptor.
using ConvolutionFunction = MatmulFunction;
// (context, descriptor, places of operands and results) -> CodeStatus; the descriptor's layout is
// routine_key.h's.
using RoutineFunction = int32_t (*)(const LaunchContext*, const int64_t*, void* const*);
// The same for a host call, in the layout of host_call_key.h.
using HostCallFunction = RoutineFunction;
// (context, to, from, bytes) -> CodeStatus; the ranges are equal or disjoint.
using CopyFunction = int32_t (*)(const LaunchContext*, void*, const void*, int64_t);
// (context) -> CodeStatus, for a run that found `interrupted` set: kCancelled when it is to end.
using PollFunction = int32_t (*)(const LaunchContext*);
// (context, bytes) -> memory aligned to kBufferAlignment, or null after noting the failure.
using AllocateFunction = void* (*)(const LaunchContext*, int64_t);
using ReleaseFunction = void (*)(void*);

static_assert(offsetof(LaunchContext, arguments) == 0);
static_assert(offsetof(LaunchContext, results) == 8);
static_assert(offsetof(LaunchContext, arena) == 16);
static_assert(offsetof(LaunchContext, constants) == 24);
static_assert(offsetof(LaunchContext, interrupted) == 40);

}  // namespace acceld::kernels::cpu
