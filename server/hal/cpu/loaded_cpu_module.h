#pragma once

#include <memory>

#include "common/status.h"
#include "server/hal/device.h"
#include "server/hal/executable.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cpu {

// Links the executable's object code into this process and copies its constants to `memory`. The
// module runs with `num_threads` threads. Errors: DATA_LOSS or INTERNAL for code that does not
// link, RESOURCE_EXHAUSTED for constants that do not fit.
absl::StatusOr<std::shared_ptr<const Module>> LoadCpuModule(const Executable& executable,
                                                            MemoryPool& memory, int num_threads);

}  // namespace acceld::hal::cpu
