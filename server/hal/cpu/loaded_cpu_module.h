#pragma once

#include <memory>

#include "common/status.h"
#include "kernels/cpu/cpu_runtime.h"
#include "server/hal/device.h"
#include "server/hal/executable.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cpu {

// Links the executable's object code into this process and copies its constants to `memory`. The
// module runs with `num_threads` threads, helpers of `runtime` among them. Errors: DATA_LOSS or
// INTERNAL for code that does not link, RESOURCE_EXHAUSTED for constants that do not fit.
absl::StatusOr<std::shared_ptr<const Module>> LoadCpuModule(
    const Executable& executable, MemoryPool& memory, int num_threads,
    std::shared_ptr<kernels::cpu::CpuRuntime> runtime);

}  // namespace acceld::hal::cpu
