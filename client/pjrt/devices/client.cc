#include "client/pjrt/devices/client.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/pjrt/devices/connect.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/functions.h"

namespace {

using acceld::client::DeviceInfo;

// Orders the devices for JAX, which uses the first one by default and the first N for a mesh: the
// session's own device, then the others of its kind, then GPUs, then CPUs.
std::vector<DeviceInfo> InJaxOrder(const acceld::client::Client& session) {
  std::vector<DeviceInfo> devices = session.devices();
  const auto own = std::find_if(devices.begin(), devices.end(), [&](const DeviceInfo& device) {
    return device.id == session.device();
  });
  const std::string kind = own == devices.end() ? "" : own->kind;
  std::stable_sort(devices.begin(), devices.end(), [&](const DeviceInfo& a, const DeviceInfo& b) {
    const auto rank = [&](const DeviceInfo& device) {
      if (device.id == session.device()) return 0;
      if (device.kind == kind) return 1;
      return device.kind != "cpu" ? 2 : 3;
    };
    return rank(a) < rank(b);
  });
  return devices;
}

}  // namespace

PJRT_Client::PJRT_Client(std::shared_ptr<acceld::client::Client> client_session)
    : session(std::move(client_session)),
      platform_version(absl::StrCat("acceld ", session->daemon_version())) {
  std::map<uint32_t, int> ordinals;  // By DeviceInfo::id.
  std::map<std::string, int> counts;
  for (const DeviceInfo& info : session->devices()) ordinals[info.id] = counts[info.kind]++;
  topology.platform_version = &platform_version;
  for (const DeviceInfo& info : InJaxOrder(*session)) {
    devices.push_back(std::make_unique<PJRT_Device>(this, info, static_cast<int>(devices.size()),
                                                    ordinals[info.id]));
    device_pointers.push_back(devices.back().get());
    memory_pointers.push_back(&devices.back()->memory);
    topology.descriptions.push_back(&devices.back()->description);
  }
}

PJRT_Device* PJRT_Client::Choose(const PJRT_Device* device, const PJRT_Memory* memory) const {
  if (memory != nullptr) return memory->device;
  return device != nullptr ? device_pointers[device->description.id] : device_pointers.front();
}

namespace acceld::pjrt {

namespace {

std::atomic<PJRT_Client*> last_client{nullptr};

}  // namespace

PJRT_Client* LastClient() { return last_client.load(); }

absl::StatusOr<PJRT_Device*> FindDevice(const PJRT_Client& client, int64_t id) {
  if (id >= 0 && id < static_cast<int64_t>(client.devices.size())) {
    return client.device_pointers[id];
  }
  return absl::NotFoundError(absl::StrCat("no device ", id, "; the daemon at ",
                                          client.session->address(), " has ", client.devices.size(),
                                          ", counted from 0"));
}

absl::Status Client_Create(PJRT_Client_Create_Args& args) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  ACCELD_ASSIGN_OR_RETURN(
      std::shared_ptr<client::Client> session,
      Connect(absl::Span<const PJRT_NamedValue>(args.create_options, args.num_options)));
  if (session->devices().empty()) {
    return absl::NotFoundError(
        absl::StrCat("the daemon at ", session->address(), " has no devices"));
  }
  WatchForks();
  args.client = new PJRT_Client(std::move(session));
  last_client.store(args.client);
  return absl::OkStatus();
}

absl::Status Client_Destroy(PJRT_Client_Destroy_Args& args) {
  if (IsForkedChild()) return absl::OkStatus();
  PJRT_Client* destroyed = args.client;
  last_client.compare_exchange_strong(destroyed, nullptr);
  delete args.client;
  return absl::OkStatus();
}

absl::Status Client_PlatformName(PJRT_Client_PlatformName_Args& args) {
  args.platform_name = kPlatformName;
  args.platform_name_size = std::strlen(kPlatformName);
  return absl::OkStatus();
}

absl::Status Client_ProcessIndex(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = 0;
  return absl::OkStatus();
}

absl::Status Client_PlatformVersion(PJRT_Client_PlatformVersion_Args& args) {
  args.platform_version = args.client->platform_version.data();
  args.platform_version_size = args.client->platform_version.size();
  return absl::OkStatus();
}

absl::Status Client_TopologyDescription(PJRT_Client_TopologyDescription_Args& args) {
  args.topology = &args.client->topology;
  return absl::OkStatus();
}

absl::Status Client_Devices(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->device_pointers.data();
  args.num_devices = args.client->device_pointers.size();
  return absl::OkStatus();
}

absl::Status Client_AddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->device_pointers.data();
  args.num_addressable_devices = args.client->device_pointers.size();
  return absl::OkStatus();
}

absl::Status Client_LookupDevice(PJRT_Client_LookupDevice_Args& args) {
  ACCELD_ASSIGN_OR_RETURN(args.device, FindDevice(*args.client, args.id));
  return absl::OkStatus();
}

absl::Status Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args) {
  ACCELD_ASSIGN_OR_RETURN(args.addressable_device,
                          FindDevice(*args.client, args.local_hardware_id));
  return absl::OkStatus();
}

absl::Status Client_AddressableMemories(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->memory_pointers.data();
  args.num_addressable_memories = args.client->memory_pointers.size();
  return absl::OkStatus();
}

absl::Status Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  const int64_t wanted = int64_t{args.num_replicas} * args.num_partitions;
  if (args.num_replicas < 1 || args.num_partitions < 1 ||
      wanted > static_cast<int64_t>(args.default_assignment_size) ||
      wanted > static_cast<int64_t>(args.client->devices.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        args.num_replicas, " replicas of ", args.num_partitions, " partitions for ",
        args.client->devices.size(), " devices and a list of ", args.default_assignment_size));
  }
  for (int i = 0; i < wanted; ++i) args.default_assignment[i] = i;
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
