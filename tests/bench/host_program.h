#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ir/module.h"
#include "kernels/cpu/cpu_module.h"
#include "kernels/cpu/cpu_runtime.h"
#include "server/hal/executable.h"

// Programs in this process, without a daemon; for benchmarks.
namespace acceld::bench {

// Compiles @main of a module for this machine. With ACCELD_DUMP_DIR, keeps every stage as text.
absl::StatusOr<hal::Executable> CompileProgram(const ir::Module& module);

// A loaded program with memory for its arguments and results. Not thread-safe.
class HostProgram {
 public:
  // The arguments are floats between -1 and 1, and zeros of other types.
  static absl::StatusOr<std::unique_ptr<HostProgram>> Load(const hal::Executable& executable);

  // Runs the program with this number of threads, and blocks until it has ended.
  absl::Status Run(int num_threads);

  // The bytes of an argument, in place.
  char* argument(size_t index) { return memory_[index].get(); }

 private:
  struct Free {
    void operator()(char* memory) const;
  };
  using Memory = std::unique_ptr<char, Free>;

  HostProgram() = default;
  static Memory Allocate(int64_t size_bytes);
  static Memory MakeArgument(const ir::TensorType& type);

  std::unique_ptr<kernels::cpu::CpuModule> code_;
  std::vector<Memory> memory_;  // Of the arguments, then of the results.
  std::vector<const void*> arguments_;
  std::vector<void*> results_;
  Memory arena_, constants_;
  kernels::cpu::CpuRuntime runtime_;
};

}  // namespace acceld::bench
