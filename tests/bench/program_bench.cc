// Compilation and execution of the programs of tests/programs on the CPU, without a daemon: the
// whole compiler (parsed module in, object code out; also with caches that others have used since
// the last time), the loader, and runs with 1 and 2 threads.
//
//   program_bench [google-benchmark flags] [FILE.mlir...]      other programs than the usual ones
//   ACCELD_DUMP_DIR=DIR program_bench ...                      keeps every stage as text

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "common/ir/text.h"
#include "kernels/cpu/cpu_module.h"
#include "kernels/ir/plan.h"
#include "server/codegen/cpu/cpu_code_generator.h"
#include "server/compiler/compiler.h"
#include "tests/support/source_path.h"

namespace acceld {
namespace {

absl::StatusOr<ir::Module> ReadProgram(const std::string& path) {
  std::ifstream file(path);
  return ir::ParseModule(std::string(std::istreambuf_iterator<char>(file), {}));
}

absl::StatusOr<hal::Executable> CompileProgram(const ir::Module& module) {
  static const codegen::cpu::CpuCodeGenerator generator;
  const char* dump_dir = std::getenv("ACCELD_DUMP_DIR");
  ACCELD_ASSIGN_OR_RETURN(const ir::Function* entry, module.Entry("main"));
  std::vector<ir::TensorType> types;
  for (const ir::Type& type : entry->ParameterTypes()) types.push_back(type.tensor());
  return compiler::Compile(module, "main", types, generator,
                           {.dump_dir = dump_dir == nullptr ? "" : dump_dir});
}

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, Free>;

// As the daemon's devices have it: large blocks in large pages.
Memory Allocate(int64_t bytes) {
  constexpr int64_t kLargePage = int64_t{2} << 20;
  const int64_t alignment = bytes < kLargePage ? kernels::kBufferAlignment : kLargePage;
  const int64_t rounded = (bytes + alignment) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (alignment == kLargePage) madvise(memory, rounded, MADV_HUGEPAGE);
  return Memory(static_cast<char*>(memory));
}

// Floats between -1 and 1; small integers of other types.
Memory MakeArgument(const ir::TensorType& type) {
  Memory memory = Allocate(type.size_bytes());
  std::memset(memory.get(), 0, type.size_bytes());
  if (type.dtype != ir::DType::kF32) return memory;
  uint32_t state = 1;
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    state = state * 1664525u + 1013904223u;
    const float value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
    std::memcpy(memory.get() + 4 * i, &value, 4);
  }
  return memory;
}

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
  const auto code = kernels::cpu::CpuModule::Load(executable->code);
  if (!code.ok()) return state.SkipWithError(code.status().ToString().c_str());
  std::vector<Memory> memory;
  std::vector<const void*> arguments;
  std::vector<void*> results;
  for (const ir::TensorType& type : executable->arguments) {
    memory.push_back(MakeArgument(type));
    arguments.push_back(memory.back().get());
  }
  for (const ir::TensorType& type : executable->results) {
    memory.push_back(Allocate(type.size_bytes()));
    results.push_back(memory.back().get());
  }
  const Memory arena = Allocate(executable->arena_bytes);
  const Memory constants = Allocate(static_cast<int64_t>(executable->constants.size()));
  std::memcpy(constants.get(), executable->constants.data(), executable->constants.size());
  kernels::cpu::CpuRuntime runtime;
  const kernels::cpu::LaunchContext context = {.arguments = arguments.data(),
                                               .results = results.data(),
                                               .arena = arena.get(),
                                               .constants = constants.get(),
                                               .num_threads = num_threads,
                                               .interrupted = nullptr,
                                               .runtime = &runtime};
  for (auto _ : state) {
    if (!(*code)->Run(context).ok()) return state.SkipWithError("run failed");
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
