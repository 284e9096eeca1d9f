#pragma once

#include "common/status.h"
#include "kernels/cpu/cpu_module.h"
#include "server/hal/device.h"

namespace acceld::hal::cpu {

// A module that CpuStream can run. Implementations are thread-safe: several runs may be in progress
// at the same time.
class HostModule : public Module {
 public:
  // Runs the module on the calling thread, and returns when the run has ended, with its error if it
  // failed. The module sets `constants`, `num_threads` and `working_memory` of `context` itself.
  virtual absl::Status Run(kernels::cpu::LaunchContext context) const = 0;
};

}  // namespace acceld::hal::cpu
