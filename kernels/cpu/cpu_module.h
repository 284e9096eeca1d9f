#pragma once

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/cpu/host_caller.h"
#include "kernels/cpu/interrupts.h"
#include "kernels/cpu/working_memory.h"

namespace acceld::kernels::cpu {

// What a plan's native function is handed. Pointers are kBufferAlignment-aligned.
struct LaunchContext {
  const void* const* arguments;  // one per argument
  void* const* results;          // one per result
  void* arena;                   // arena_bytes of the entry function
  const void* constants;         // the plan's constant block
  int num_threads;               // for parallel loops and library calls, at least 1
  // Polled by loops. Once it is true the run is to end early, or to pause: `interrupts` says which.
  const volatile bool* interrupted;
  // nullptr: a run that is interrupted ends.
  Interrupts* interrupts = nullptr;
  // For library calls; nullptr: the process's heap.
  const WorkingMemory* working_memory = nullptr;
  // For host calls; nullptr: they fail.
  HostCaller* host = nullptr;
};

// Object code from CompilePlan, linked into this process. Immutable and thread-safe once loaded:
// any number of threads may Run at the same time, each with its own context.
class CpuModule {
 public:
  // The bytes must be what CompilePlan made; verifying where they came from is the caller's duty.
  static absl::StatusOr<std::unique_ptr<CpuModule>> Load(absl::string_view code);
  virtual ~CpuModule() = default;

  // Runs on the calling thread (and the pool for parallel loops) until done. OK, CANCELLED, or the
  // failure of a library call.
  virtual absl::Status Run(const LaunchContext& context) const = 0;
  // Bytes of linked code, for the memory tier's accounting.
  virtual int64_t code_bytes() const = 0;
};

}  // namespace acceld::kernels::cpu
