#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/hal/cuda/cuda_device.h"
#include "server/hal/cuda/driver/device_selection.h"

namespace acceld::hal::cuda {

// A library that could not be loaded, and the reason.
struct MissingLibrary {
  std::string name, reason;
};

// The result of OpenSelectedDevices.
struct OpenedDevices {
  std::vector<OpenedCudaDevice> devices;
  // Why `devices` is empty, or why GPUs that were found are not in it: one message for each reason.
  std::vector<std::string> missing;
  // The libraries that `devices` have to do without. Empty if there are no devices.
  std::vector<MissingLibrary> missing_libraries;
};

// Opens the GPUs that `wanted` selects. If all are selected, GPUs that cannot be used are reported
// in OpenedDevices::missing, as is a missing driver. If GPUs are selected by number, all of them
// must be usable: returns NOT_FOUND for a number that no GPU has, or the reason why a GPU cannot be
// used. The driver must outlive the devices; therefore it cannot be a temporary.
absl::StatusOr<OpenedDevices> OpenSelectedDevices(const absl::StatusOr<Driver>& driver,
                                                  const DeviceSelection& wanted,
                                                  const CudaDeviceOptions& options,
                                                  const Toolkit& toolkit);
absl::StatusOr<OpenedDevices> OpenSelectedDevices(absl::StatusOr<Driver>&& driver,
                                                  const DeviceSelection& wanted,
                                                  const CudaDeviceOptions& options,
                                                  const Toolkit& toolkit) = delete;

}  // namespace acceld::hal::cuda
