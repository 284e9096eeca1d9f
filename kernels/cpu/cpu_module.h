#pragma once

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/cpu/collective_exchange.h"
#include "kernels/cpu/cpu_runtime.h"
#include "kernels/cpu/host_caller.h"
#include "kernels/cpu/interrupt_handler.h"
#include "kernels/cpu/working_memory.h"

namespace acceld::kernels::cpu {

// The argument of a plan's native function: the buffers of one run and what the run needs besides
// them. All buffers are aligned to kBufferAlignment. Generated code reads the fields at fixed
// offsets (support_abi.h).
struct LaunchContext {
  const void* const* arguments;  // addresses of the plan's arguments
  void* const* results;          // addresses of the plan's results
  void* arena;                   // temporaries: arena_bytes of the entry function
  const void* constants;         // the plan's constant block
  int num_threads;  // the most threads for parallel loops and library calls, at least 1
  // Long-running loops poll this flag. While it is true, the run has to pause or to end:
  // `interrupt_handler` decides which. With nullptr, which only CpuModule::Run accepts, the run is
  // never interrupted.
  const volatile bool* interrupted;
  // With nullptr, an interrupted run ends.
  InterruptHandler* interrupt_handler = nullptr;
  // Where library calls allocate temporary memory. With nullptr, they use the process's heap.
  const WorkingMemory* working_memory = nullptr;
  // Executes host calls. With nullptr, they fail with FAILED_PRECONDITION.
  HostCaller* host = nullptr;
  // Exchanges values with the other participants of the launch. With nullptr, collectives fail with
  // FAILED_PRECONDITION.
  CollectiveExchange* collectives = nullptr;
  // Helper threads and caches. With nullptr, all work is done by the calling thread, and nothing is
  // kept for later runs.
  CpuRuntime* runtime = nullptr;
};

// Object code from CpuCompiler::Compile that is linked into this process and ready to run. It is
// immutable and thread-safe: any number of threads may call Run at the same time, each with its own
// context. The code is unloaded by the destructor, which must not run before all calls have
// returned.
class CpuModule {
 public:
  // Links `code`, which CpuCompiler::Compile returned. Checks only that it is well-formed; since
  // Run executes the code, the caller must make sure that it comes from a trusted source. Returns
  // INVALID_ARGUMENT for bytes that are not objects for this machine or do not link, and the
  // system's error when the memory of the code cannot be protected.
  static absl::StatusOr<std::unique_ptr<CpuModule>> Load(absl::string_view code);
  virtual ~CpuModule() = default;

  // Executes the plan and blocks until it is done. Uses the calling thread and, for parallel loops,
  // threads of the context's CpuRuntime. Returns CANCELLED when an interrupted run had to end, or
  // the error of the first library call, host call or collective that failed.
  virtual absl::Status Run(const LaunchContext& context) const = 0;
  // The size of the object code in bytes, for the accounting of the memory of loaded executables.
  virtual int64_t code_bytes() const = 0;
};

}  // namespace acceld::kernels::cpu
