#pragma once

#include <cstdint>
#include <memory>

#include "server/hal/cuda/driver/context.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// Creates a pool of the memory of the device of `context`. The memory comes from a memory pool of
// the driver (cuMemPoolCreate) or, for devices without one, from cuMemAlloc. A block can be used on
// all streams of the device as soon as it is allocated; when it is freed, no work may use it any
// more. `devices` are the driver's handles of GPUs: the ones that can access the memory directly
// are permitted to do so. For the other arguments see MemoryPool::Create. Returns the driver's
// errors.
absl::StatusOr<std::shared_ptr<MemoryPool>> CreateDeviceMemoryPool(std::shared_ptr<Context> context,
                                                                   const std::vector<int>& devices,
                                                                   int64_t limit_bytes,
                                                                   int64_t max_kept_bytes);

}  // namespace acceld::hal::cuda
