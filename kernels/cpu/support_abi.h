#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/cpu_module.h"

// The binary interface between generated code and the run-time support: symbol names, function
// types, the offsets of LaunchContext's fields, and status codes. Cached objects depend on it: a
// change of the interface must increment kSupportAbiVersion, which CpuTarget::ToString puts into
// the cache key.
namespace acceld::kernels::cpu {

inline constexpr int kSupportAbiVersion = 6;

// The result of generated functions and of most functions of the run-time support. kFailed:
// RunState::failure says why.
enum class CodeStatus : int32_t { kOk = 0, kCancelled = 1, kFailed = 2 };

inline constexpr char kParallelForSymbol[] = "acceld_cpu_parallel_for";
inline constexpr char kParallelForPointersSymbol[] = "acceld_cpu_parallel_for_pointers";
inline constexpr char kMatmulSymbol[] = "acceld_cpu_matmul";
inline constexpr char kConvolutionSymbol[] = "acceld_cpu_convolution";
inline constexpr char kRoutineSymbol[] = "acceld_cpu_routine";
inline constexpr char kHostCallSymbol[] = "acceld_cpu_host_call";
inline constexpr char kCollectiveSymbol[] = "acceld_cpu_collective";
inline constexpr char kCopySymbol[] = "acceld_cpu_copy";
inline constexpr char kPollSymbol[] = "acceld_cpu_poll";
inline constexpr char kAllocateSymbol[] = "acceld_cpu_allocate";
inline constexpr char kReleaseSymbol[] = "acceld_cpu_release";

// Computes one tile of a parallel loop: (frame, tile) -> CodeStatus. The frame holds whatever the
// loop uses from outside.
using TileFunction = int32_t (*)(const void* frame, int64_t tile);
// Runs a parallel loop of `num_tiles` tiles: (context, function, frame, num_tiles) -> CodeStatus.
using ParallelForFunction = int32_t (*)(const LaunchContext*, TileFunction, const void*, int64_t);
// The same for a frame of pointers: (context, {function, pointers...}, number of pointers,
// num_tiles) -> CodeStatus. The tile function is called as function(pointers..., tile) ->
// CodeStatus. There are at most kMaxTilePointers pointers.
using ParallelForPointersFunction = int32_t (*)(const LaunchContext*, void* const*, int64_t,
                                                int64_t);
inline constexpr int64_t kMaxTilePointers = 32;
// Computes a matrix product: (context, descriptor, lhs, rhs, out) -> CodeStatus. The descriptor has
// the fields of a MatmulKey.
using MatmulFunction = int32_t (*)(const LaunchContext*, const int64_t*, const void*, const void*,
                                   void*);
// Computes a convolution; the descriptor has the fields of a ConvolutionDescriptor.
using ConvolutionFunction = MatmulFunction;
// Runs a routine: (context, descriptor, addresses of operands and results) -> CodeStatus. The
// descriptor has the layout of RoutineKeyOf (routine_key.h).
using RoutineFunction = int32_t (*)(const LaunchContext*, const int64_t*, void* const*);
// Executes a host call; the descriptor has the layout of HostCallKeyOf (host_call_key.h).
using HostCallFunction = RoutineFunction;
// Takes part in a collective; the descriptor has the layout of CollectiveKeyOf (collective_key.h).
using CollectiveFunction = RoutineFunction;
// Copies memory: (context, to, from, bytes) -> CodeStatus. The two ranges are equal or disjoint.
using CopyFunction = int32_t (*)(const LaunchContext*, void*, const void*, int64_t);
// Called by a run that has found `interrupted` set: (context) -> CodeStatus. Blocks while the run
// has to pause; returns kCancelled when it must end.
using PollFunction = int32_t (*)(const LaunchContext*);
// Allocates scratch memory: (context, bytes) -> address, aligned to kBufferAlignment. Null, with
// the error in RunState::failure, when memory runs out. The ReleaseFunction frees it.
using AllocateFunction = void* (*)(const LaunchContext*, int64_t);
using ReleaseFunction = void (*)(void*);

static_assert(offsetof(LaunchContext, arguments) == 0);
static_assert(offsetof(LaunchContext, results) == 8);
static_assert(offsetof(LaunchContext, arena) == 16);
static_assert(offsetof(LaunchContext, constants) == 24);
static_assert(offsetof(LaunchContext, interrupted) == 40);

}  // namespace acceld::kernels::cpu
