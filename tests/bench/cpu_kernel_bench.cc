// Speed of generated CPU code and of its compilation: SELU of a million floats, row sums, and
// memcpy of the same bytes beside them.

#include <cstring>

#include "benchmark/benchmark.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

constexpr int64_t kCount = 1'000'000;

void RunKernel(benchmark::State& state, const Kernel& kernel, int64_t in_bytes, int64_t out_bytes) {
  const auto module = CompileAndLoad(PlanOf(kernel));
  if (!module.ok()) {
    state.SkipWithError(module.status().ToString().c_str());
    return;
  }
  const AlignedBytes in = AllocateAligned(in_bytes), out = AllocateAligned(out_bytes);
  std::memset(in.get(), 0, in_bytes);
  std::memset(out.get(), 0, out_bytes);
  const void* arguments[] = {in.get()};
  void* results[] = {out.get()};
  CpuRuntime runtime;
  const LaunchContext context = {.arguments = arguments,
                                 .results = results,
                                 .arena = nullptr,
                                 .constants = nullptr,
                                 .num_threads = static_cast<int>(state.range(0)),
                                 .interrupted = nullptr,
                                 .runtime = &runtime};
  for (auto _ : state) {
    if (!(*module)->Run(context).ok()) state.SkipWithError("run failed");
  }
  state.SetBytesProcessed(state.iterations() * (in_bytes + out_bytes));
}

void BM_Selu(benchmark::State& state) {
  RunKernel(state, SeluKernel(kCount), kCount * 4, kCount * 4);
}
BENCHMARK(BM_Selu)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

void BM_RowSums(benchmark::State& state) {
  RunKernel(state, RowSumKernel("sums", DType::kF32, 1000, 1000), kCount * 4, 4000);
}
BENCHMARK(BM_RowSums)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

void BM_Memcpy(benchmark::State& state) {
  const AlignedBytes in = AllocateAligned(kCount * 4), out = AllocateAligned(kCount * 4);
  std::memset(in.get(), 0, kCount * 4);
  for (auto _ : state) {
    std::memcpy(out.get(), in.get(), kCount * 4);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * kCount * 8);
}
BENCHMARK(BM_Memcpy)->UseRealTime();

void BM_CompileSelu(benchmark::State& state) {
  const Plan plan = PlanOf(SeluKernel(kCount));
  const CpuCompiler compiler(CpuTarget::Host());
  for (auto _ : state) {
    const auto object = compiler.Compile(plan);
    if (!object.ok()) state.SkipWithError("compilation failed");
    benchmark::DoNotOptimize(object);
  }
}
BENCHMARK(BM_CompileSelu)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace acceld::kernels::cpu
