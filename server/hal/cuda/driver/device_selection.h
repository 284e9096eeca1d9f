#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::hal::cuda {

// Which GPUs the daemon is to use.
struct DeviceSelection {
  bool all = false;          // all GPUs that can be used
  std::vector<int> numbers;  // the driver's ordinals of GPUs, all of which must be usable
};

// Parses "all", "none", or a list of different ordinals such as "0,2". Returns INVALID_ARGUMENT for
// other text.
absl::StatusOr<DeviceSelection> ParseDeviceSelection(absl::string_view text);

}  // namespace acceld::hal::cuda
