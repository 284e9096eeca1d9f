#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/status.h"
#include "server/hal/device.h"

namespace acceld::hal::cpu {

// How the machine's processor is divided into devices.
struct CpuDeviceOptions {
  int num_devices = 1;
  int threads_per_device = 0;           // 0: cores / devices, at least 1
  int64_t memory_bytes_per_device = 0;  // 0: 3/4 of the machine's memory / devices
  // How much of this memory a thread of the device allocates from the system in advance, so that
  // the first programs do not wait for page faults. Memory that stays unused is returned to the
  // system.
  int64_t prepared_bytes_per_device = 0;
};

// Opens the machine's processor as one or several devices. Each device has a separate memory
// budget; the devices share the cores. Returns INVALID_ARGUMENT for counts or sizes out of range.
absl::StatusOr<std::vector<std::unique_ptr<Device>>> OpenCpuDevices(
    const CpuDeviceOptions& options);

}  // namespace acceld::hal::cpu
