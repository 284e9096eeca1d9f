#include "client/find_device.h"

#include <cstdlib>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace acceld::client {

std::string WantedDevice(std::string name) {
  if (const char* set = std::getenv("ACCELD_DEVICE"); name.empty() && set != nullptr) name = set;
  return name;
}

bool NamesNoDevice(absl::string_view name) { return absl::c_all_of(name, absl::ascii_islower); }

absl::StatusOr<uint32_t> FindDevice(const std::vector<DeviceInfo>& devices,
                                    absl::string_view name) {
  std::map<std::string, int> seen;  // Devices of each kind so far.
  std::vector<std::string> names;
  for (const DeviceInfo& device : devices) {
    names.push_back(absl::StrCat(device.kind, ":", seen[device.kind]++));
    if (name == names.back() || name == absl::StrCat(device.id)) return device.id;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no device '", name, "'; the daemon has ", absl::StrJoin(names, ", ")));
}

}  // namespace acceld::client
