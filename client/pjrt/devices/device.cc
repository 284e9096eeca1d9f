#include "client/pjrt/devices/device.h"

#include "absl/strings/str_cat.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/functions.h"

PJRT_Device::PJRT_Device(PJRT_Client* client, const acceld::client::DeviceInfo& info, int id,
                         int ordinal)
    : client(client),
      daemon_id(info.id),
      daemon_kind(info.kind),
      ordinal(ordinal),
      is_cpu(info.kind == "cpu"),
      memory_limit_bytes(info.memory_limit_bytes),
      description{
          .id = id,
          .kind = info.name,
          .debug_string = absl::StrCat("acceld device ", info.kind, ":", ordinal, " (", info.name,
                                       ", ", info.architecture, ")"),
          .to_string = absl::StrCat("AcceldDevice(id=", id, ", ", info.kind, ":", ordinal, ")")},
      memory{.device = this,
             .id = id,
             .debug_string = absl::StrCat("memory of acceld device ", info.kind, ":", ordinal)} {
  description.attributes.Add("kind", info.kind);
  description.attributes.Add("ordinal", int64_t{ordinal});
  description.attributes.Add("architecture", info.architecture);
  description.attributes.Add("memory_limit_bytes", static_cast<int64_t>(info.memory_limit_bytes));
  description.attributes.Add("daemon_address", client->session->address());
  description.attributes.Add("daemon_version", client->session->daemon_version());
}

namespace acceld::pjrt {

absl::Status DeviceDescription_Id(PJRT_DeviceDescription_Id_Args& args) {
  args.id = args.device_description->id;
  return absl::OkStatus();
}

absl::Status DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = 0;
  return absl::OkStatus();
}

absl::Status DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args& args) {
  args.attributes = args.device_description->attributes.data();
  args.num_attributes = args.device_description->attributes.size();
  return absl::OkStatus();
}

absl::Status DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args& args) {
  args.device_kind = args.device_description->kind.data();
  args.device_kind_size = args.device_description->kind.size();
  return absl::OkStatus();
}

absl::Status DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args& args) {
  args.debug_string = args.device_description->debug_string.data();
  args.debug_string_size = args.device_description->debug_string.size();
  return absl::OkStatus();
}

absl::Status DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args& args) {
  args.to_string = args.device_description->to_string.data();
  args.to_string_size = args.device_description->to_string.size();
  return absl::OkStatus();
}

absl::Status Device_GetDescription(PJRT_Device_GetDescription_Args& args) {
  args.device_description = &args.device->description;
  return absl::OkStatus();
}

absl::Status Device_IsAddressable(PJRT_Device_IsAddressable_Args& args) {
  args.is_addressable = true;
  return absl::OkStatus();
}

absl::Status Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = args.device->description.id;
  return absl::OkStatus();
}

absl::Status Device_AddressableMemories(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories;
  args.num_memories = 1;
  return absl::OkStatus();
}

absl::Status Device_DefaultMemory(PJRT_Device_DefaultMemory_Args& args) {
  args.memory = &args.device->memory;
  return absl::OkStatus();
}

// Returning no event is the interface's way to say that a device does not track what the framework
// does besides; jaxlib would end the process on an error.
absl::Status Device_CreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args& args) {
  args.event = nullptr;
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
