#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::hal::cuda {

// Which GPUs the daemon is to use.
struct WantedDevices {
  bool all = false;          // that can be used
  std::vector<int> numbers;  // of the driver; all of them must be usable
};

// "all", "none", or numbers, as in "0,2". INVALID_ARGUMENT for other words.
absl::StatusOr<WantedDevices> ParseWantedDevices(absl::string_view text);

}  // namespace acceld::hal::cuda
