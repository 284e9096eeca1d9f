#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/status.h"
#include "server/hal/device.h"

namespace acceld::hal::cpu {

struct CpuDeviceOptions {
  int num_devices = 1;
  int threads_per_device = 0;           // 0: cores / devices, at least 1
  int64_t memory_bytes_per_device = 0;  // 0: 3/4 of the machine's memory / devices
  // Of it, what is taken from the system at the start, so that the first programs need not wait for
  // it. Given back if nobody uses it.
  int64_t prepared_bytes_per_device = 0;
};

// The machine's processor as one or several devices with budgets of their own; the devices share
// cores. INVALID_ARGUMENT for counts or sizes below their smallest.
absl::StatusOr<std::vector<std::unique_ptr<Device>>> OpenCpuDevices(
    const CpuDeviceOptions& options);

}  // namespace acceld::hal::cpu
