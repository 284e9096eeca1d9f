#pragma once

#include "common/status.h"
#include "kernels/cpu/cpu_module.h"
#include "server/hal/device.h"

namespace acceld::hal::cpu {

// A module that CpuStream can run: it fills in `constants`, `num_threads` and `working_memory`
// of the context itself. Implementations are thread-safe.
class HostModule : public Module {
 public:
  // Runs on the calling thread until done.
  virtual absl::Status Run(kernels::cpu::LaunchContext context) const = 0;
};

}  // namespace acceld::hal::cpu
