#include "kernels/cpu/load/run_time_symbols.h"

#include <math.h>
#include <string.h>

#include "kernels/cpu/support/collective.h"
#include "kernels/cpu/support/convolution/convolution.h"
#include "kernels/cpu/support/copy.h"
#include "kernels/cpu/support/host_call.h"
#include "kernels/cpu/support/math_library.h"
#include "kernels/cpu/support/matmul/matmul.h"
#include "kernels/cpu/support/parallel_for.h"
#include "kernels/cpu/support/poll.h"
#include "kernels/cpu/support/routine.h"
#include "kernels/cpu/support/scratch.h"
#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {
namespace {

using UnaryF32 = float (*)(float);
using UnaryF64 = double (*)(double);

template <int arity, typename T>
struct Signature;
template <typename T>
struct Signature<1, T> {
  using Function = T (*)(T);
};
template <typename T>
struct Signature<2, T> {
  using Function = T (*)(T, T);
};

template <typename Function>
const void* AddressOf(Function function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace

absl::Span<const RunTimeSymbol> RunTimeSymbols() {
  static const RunTimeSymbol kSymbols[] = {
      {kParallelForSymbol, AddressOf<ParallelForFunction>(ParallelFor)},
      {kParallelForPointersSymbol, AddressOf<ParallelForPointersFunction>(ParallelForPointers)},
      {kMatmulSymbol, AddressOf<MatmulFunction>(Matmul)},
      {kConvolutionSymbol, AddressOf<ConvolutionFunction>(Convolution)},
      {kRoutineSymbol, AddressOf<RoutineFunction>(RunRoutine)},
      {kHostCallSymbol, AddressOf<HostCallFunction>(CallHost)},
      {kCollectiveSymbol, AddressOf<CollectiveFunction>(RunCollective)},
      {kCopySymbol, AddressOf<CopyFunction>(CopyOnThreads)},
      {kPollSymbol, AddressOf<PollFunction>(PollInterrupts)},
      {kAllocateSymbol, AddressOf<AllocateFunction>(AllocateScratch)},
      {kReleaseSymbol, AddressOf<ReleaseFunction>(ReleaseScratch)},
#define ACCELD_MATH_FUNCTION(Kind, name, arity, f32, f64)                          \
  {"acceld_cpu_" #name "_f32", AddressOf<Signature<arity, float>::Function>(f32)}, \
      {"acceld_cpu_" #name "_f64", AddressOf<Signature<arity, double>::Function>(f64)},
#include "kernels/cpu/math_library.def"
      // Functions that LLVM itself generates calls of: for memory operations, for comparisons that
      // select one of two halves, and for rounding and fma on machines without instructions for
      // them.
      {"memcpy", AddressOf<void* (*)(void*, const void*, size_t)>(::memcpy)},
      {"memmove", AddressOf<void* (*)(void*, const void*, size_t)>(::memmove)},
      {"memset", AddressOf<void* (*)(void*, int, size_t)>(::memset)},
      {"ceil", AddressOf<UnaryF64>(::ceil)},
      {"ceilf", AddressOf<UnaryF32>(::ceilf)},
      {"floor", AddressOf<UnaryF64>(::floor)},
      {"floorf", AddressOf<UnaryF32>(::floorf)},
      {"fmax", AddressOf<Signature<2, double>::Function>(::fmax)},
      {"fmaxf", AddressOf<Signature<2, float>::Function>(::fmaxf)},
      {"fmin", AddressOf<Signature<2, double>::Function>(::fmin)},
      {"fminf", AddressOf<Signature<2, float>::Function>(::fminf)},
      {"fma", AddressOf<double (*)(double, double, double)>(::fma)},
      {"fmaf", AddressOf<float (*)(float, float, float)>(::fmaf)},
      {"round", AddressOf<UnaryF64>(::round)},
      {"roundf", AddressOf<UnaryF32>(::roundf)},
      {"roundeven", AddressOf<UnaryF64>(::nearbyint)},
      {"roundevenf", AddressOf<UnaryF32>(::nearbyintf)},
      {"trunc", AddressOf<UnaryF64>(::trunc)},
      {"truncf", AddressOf<UnaryF32>(::truncf)},
  };
  return kSymbols;
}

}  // namespace acceld::kernels::cpu
