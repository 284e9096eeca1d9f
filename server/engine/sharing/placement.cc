#include "server/engine/sharing/placement.h"

#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"

namespace acceld::engine {
namespace {

absl::Status NoSuchKind(const std::vector<DeviceLoad>& devices, absl::string_view kind) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const DeviceLoad& device : devices) {
    names.push_back(absl::StrCat(device.kind, ":", seen[device.kind]++));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no device '", kind, "'; the daemon has ", absl::StrJoin(names, ", ")));
}

}  // namespace

absl::StatusOr<uint32_t> LeastUsed(const std::vector<DeviceLoad>& devices, absl::string_view kind) {
  if (kind.empty() && !devices.empty()) kind = devices[0].kind;
  absl::Status lost;
  absl::optional<uint32_t> best;
  for (uint32_t i = 0; i < devices.size(); ++i) {
    const DeviceLoad& device = devices[i];
    if (device.kind != kind) continue;
    lost.Update(device.health);
    if (!device.health.ok()) continue;
    const auto load = [](const DeviceLoad& one) { return std::tie(one.sessions, one.queued); };
    if (!best.has_value() || load(device) < load(devices[*best])) best = i;
  }
  if (best.has_value()) return *best;
  return lost.ok() ? NoSuchKind(devices, kind) : lost;
}

}  // namespace acceld::engine
