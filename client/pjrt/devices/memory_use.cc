#include "client/pjrt/devices/memory_use.h"

#include <algorithm>

#include "client/pjrt/devices/device.h"
#include "client/pjrt/functions.h"

namespace acceld::pjrt {

void MemoryUse::Add(int64_t bytes) {
  MutexLock lock(mutex_);
  totals_.bytes += bytes;
  totals_.peak_bytes = std::max(totals_.peak_bytes, totals_.bytes);
  ++totals_.allocations;
  totals_.largest_allocation_bytes = std::max(totals_.largest_allocation_bytes, bytes);
}

void MemoryUse::Remove(int64_t bytes) {
  MutexLock lock(mutex_);
  totals_.bytes -= bytes;
}

MemoryUse::Totals MemoryUse::totals() const {
  MutexLock lock(mutex_);
  return totals_;
}

absl::Status Device_MemoryStats(PJRT_Device_MemoryStats_Args& args) {
  const MemoryUse::Totals totals = args.device->memory_use.totals();
  args.bytes_in_use = totals.bytes;
  args.peak_bytes_in_use = totals.peak_bytes;
  args.peak_bytes_in_use_is_set = true;
  args.num_allocs = totals.allocations;
  args.num_allocs_is_set = true;
  args.largest_alloc_size = totals.largest_allocation_bytes;
  args.largest_alloc_size_is_set = true;
  args.bytes_limit = static_cast<int64_t>(args.device->memory_limit_bytes);
  args.bytes_limit_is_set = args.device->memory_limit_bytes != 0;
  args.bytes_reserved_is_set = false;
  args.peak_bytes_reserved_is_set = false;
  args.bytes_reservable_limit_is_set = false;
  args.largest_free_block_bytes_is_set = false;
  args.pool_bytes_is_set = false;
  args.peak_pool_bytes_is_set = false;
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
