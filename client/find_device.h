#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/server_info.h"
#include "common/status.h"

namespace acceld::client {

// Returns `name` (a ConnectOptions::device), or $ACCELD_DEVICE if `name` is empty.
std::string WantedDevice(std::string name);
// Returns whether `name` leaves the choice of the device to the daemon, because it is empty or only
// a kind such as "cuda".
bool NamesNoDevice(absl::string_view name);
// Returns the DeviceInfo::id of the device with this name: a kind and the number among that kind
// ("cuda:0"), or the id itself. INVALID_ARGUMENT, with the names of all devices, if the daemon has
// no such device.
absl::StatusOr<uint32_t> FindDevice(const std::vector<DeviceInfo>& devices, absl::string_view name);

}  // namespace acceld::client
