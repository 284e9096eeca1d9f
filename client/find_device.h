#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/server_info.h"
#include "common/status.h"

namespace acceld::client {

// ConnectOptions::device; what the environment says when that is empty.
std::string WantedDevice(std::string name);
// Whether such a name leaves the choice to the daemon: it is empty, or a kind like "cuda".
bool NamesNoDevice(absl::string_view name);
// The number of the device that another name stands for. INVALID_ARGUMENT, with the names there
// are, when the daemon has no such device.
absl::StatusOr<uint32_t> FindDevice(const std::vector<DeviceInfo>& devices, absl::string_view name);

}  // namespace acceld::client
