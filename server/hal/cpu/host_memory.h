#pragma once

#include <cstdint>
#include <memory>

#include "server/hal/memory_pool.h"

namespace acceld::hal::cpu {

// Creates a pool of the machine's main memory, in blocks that are aligned for vector instructions
// (kernels::kBufferAlignment). For the arguments see MemoryPool::Create.
std::shared_ptr<MemoryPool> CreateHostMemoryPool(int64_t limit_bytes, int64_t max_kept_bytes);

}  // namespace acceld::hal::cpu
