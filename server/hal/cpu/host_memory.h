#pragma once

#include <cstdint>
#include <memory>

#include "server/hal/memory_pool.h"

namespace acceld::hal::cpu {

// A pool of the machine's memory, in blocks aligned for vector code. See MemoryPool::Create.
std::shared_ptr<MemoryPool> CreateHostMemoryPool(int64_t limit_bytes, int64_t max_kept_bytes);

}  // namespace acceld::hal::cpu
