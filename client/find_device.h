#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/server_info.h"
#include "common/status.h"

namespace acceld::client {

// The number of the device that ConnectOptions::device names; the environment counts when it is
// empty. INVALID_ARGUMENT, with the names there are, when the daemon has no such device.
absl::StatusOr<uint32_t> FindDevice(const std::vector<DeviceInfo>& devices, std::string name);

}  // namespace acceld::client
