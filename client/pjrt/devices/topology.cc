#include "client/pjrt/devices/topology.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/devices/device.h"
#include "client/pjrt/functions.h"

// The bytes that PJRT_TopologyDescription_Serialize returns.
struct PJRT_SerializedTopology {
  std::string bytes;
};

namespace acceld::pjrt {

absl::Status TopologyDescription_Create(PJRT_TopologyDescription_Create_Args&) {
  return absl::UnimplementedError(
      "acceld describes only the devices of a daemon that it is connected to");
}

absl::Status TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args&) {
  return absl::OkStatus();  // Every topology belongs to a client.
}

absl::Status TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args& args) {
  args.platform_name = kPlatformName;
  args.platform_name_size = std::strlen(kPlatformName);
  return absl::OkStatus();
}

absl::Status TopologyDescription_PlatformVersion(
    PJRT_TopologyDescription_PlatformVersion_Args& args) {
  args.platform_version = args.topology->platform_version->data();
  args.platform_version_size = args.topology->platform_version->size();
  return absl::OkStatus();
}

absl::Status TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  args.descriptions = args.topology->descriptions.data();
  args.num_descriptions = args.topology->descriptions.size();
  return absl::OkStatus();
}

// Frameworks use the bytes in keys of their caches, so equal devices must give equal bytes.
absl::Status TopologyDescription_Serialize(PJRT_TopologyDescription_Serialize_Args& args) {
  auto* const serialized = new PJRT_SerializedTopology;
  for (const PJRT_DeviceDescription* device : args.topology->descriptions) {
    absl::StrAppend(&serialized->bytes, device->debug_string, "\n");
  }
  args.serialized_bytes = serialized->bytes.data();
  args.serialized_bytes_size = serialized->bytes.size();
  args.serialized_topology = serialized;
  args.serialized_topology_deleter = [](PJRT_SerializedTopology* bytes) { delete bytes; };
  return absl::OkStatus();
}

absl::Status TopologyDescription_Deserialize(PJRT_TopologyDescription_Deserialize_Args&) {
  return absl::UnimplementedError(
      "acceld describes only the devices of a daemon that it is connected to");
}

absl::Status TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args& args) {
  args.attributes = args.topology->attributes.data();
  args.num_attributes = args.topology->attributes.size();
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
