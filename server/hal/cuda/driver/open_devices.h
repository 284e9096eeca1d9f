#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/hal/cuda/cuda_device.h"
#include "server/hal/cuda/driver/wanted_devices.h"

namespace acceld::hal::cuda {

struct MissingLibrary {
  std::string name, reason;
};

struct OpenedDevices {
  std::vector<OpenedCudaDevice> devices;
  // Why there are none, or why some of those that there are are not among them.
  std::vector<std::string> missing;
  // What the devices that there are do without.
  std::vector<MissingLibrary> missing_libraries;
};

// Opens the GPUs that are wanted. NOT_FOUND for a number that no GPU has, and what stands in the
// way of using one that is named. The driver outlives the devices.
absl::StatusOr<OpenedDevices> OpenWantedDevices(const absl::StatusOr<Driver>& driver,
                                                const WantedDevices& wanted,
                                                const CudaDeviceOptions& options,
                                                const Toolkit& toolkit);
absl::StatusOr<OpenedDevices> OpenWantedDevices(absl::StatusOr<Driver>&& driver,
                                                const WantedDevices& wanted,
                                                const CudaDeviceOptions& options,
                                                const Toolkit& toolkit) = delete;

}  // namespace acceld::hal::cuda
