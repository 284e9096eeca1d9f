// Compilation and execution of the programs of tests/programs on the CPU, without a daemon: the
// whole compiler (parsed module in, object code out; also with caches that others have used since
// the last time), the loader, and runs with 1 and 2 threads.
//
//   program_bench [google-benchmark flags] [FILE.mlir...]      other programs than the usual ones
//   ACCELD_DUMP_DIR=DIR program_bench ...                      keeps every stage as text

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "common/ir/text.h"
#include "kernels/cpu/cpu_module.h"
#include "tests/bench/host_program.h"
#include "tests/support/source_path.h"

namespace acceld {
namespace {

absl::StatusOr<ir::Module> ReadProgram(const std::string& path) {
  std::ifstream file(path);
  return ir::ParseModule(std::string(std::istreambuf_iterator<char>(file), {}));
}

using bench::CompileProgram;

void Compile(benchmark::State& state, const std::string& path) {
  const auto module = ReadProgram(path);
  if (!module.ok()) return state.SkipWithError(module.status().ToString().c_str());
  for (auto _ : state) {
    const auto executable = CompileProgram(*module);
    if (!executable.ok()) return state.SkipWithError(executable.status().ToString().c_str());
  }
}

// Fills the caches of a core, also those of its page tables.
void UseCaches() {
  constexpr size_t kBytes = size_t{64} << 20;
  static auto* const memory = new std::vector<char>(kBytes);
  for (size_t i = 0; i < kBytes; i += 64) ++(*memory)[i];
  benchmark::ClobberMemory();
}

void CompileAfterOthers(benchmark::State& state, const std::string& path) {
  const auto module = ReadProgram(path);
  if (!module.ok()) return state.SkipWithError(module.status().ToString().c_str());
  for (auto _ : state) {
    state.PauseTiming();
    UseCaches();
    state.ResumeTiming();
    const auto executable = CompileProgram(*module);
    if (!executable.ok()) return state.SkipWithError(executable.status().ToString().c_str());
  }
}

void Load(benchmark::State& state, const std::string& path) {
  const auto module = ReadProgram(path);
  if (!module.ok()) return state.SkipWithError(module.status().ToString().c_str());
  const auto executable = CompileProgram(*module);
  if (!executable.ok()) return state.SkipWithError(executable.status().ToString().c_str());
  for (auto _ : state) {
    if (!kernels::cpu::CpuModule::Load(executable->code).ok()) state.SkipWithError("load failed");
  }
}

void Run(benchmark::State& state, const std::string& path, int num_threads) {
  const auto module = ReadProgram(path);
  if (!module.ok()) return state.SkipWithError(module.status().ToString().c_str());
  const auto executable = CompileProgram(*module);
  if (!executable.ok()) return state.SkipWithError(executable.status().ToString().c_str());
  const auto program = bench::HostProgram::Load(*executable);
  if (!program.ok()) return state.SkipWithError(program.status().ToString().c_str());
  for (auto _ : state) {
    if (!(*program)->Run(num_threads).ok()) return state.SkipWithError("run failed");
  }
}

void Register(const std::string& path) {
  const std::string name = std::filesystem::path(path).stem();
  benchmark::RegisterBenchmark(("Compile/" + name).c_str(), Compile, path)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  benchmark::RegisterBenchmark(("CompileAfterOthers/" + name).c_str(), CompileAfterOthers, path)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  benchmark::RegisterBenchmark(("Load/" + name).c_str(), Load, path)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  for (int threads : {1, 2}) {
    benchmark::RegisterBenchmark(("Run/" + name + "/" + std::to_string(threads)).c_str(), Run, path,
                                 threads)
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  }
}

}  // namespace
}  // namespace acceld

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) acceld::Register(argv[i]);
  if (argc == 1) {
    for (const char* name : {"selu_1m", "softmax", "layer_norm", "gram_1000", "mlp_step",
                             "random_walk", "sum_of_logistics_grad", "nested_jit_100"}) {
      acceld::Register(
          acceld::testing::SourcePath(std::string("tests/programs/") + name + ".mlir"));
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
