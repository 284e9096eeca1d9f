#include "client/pjrt/devices/memory.h"

#include <cstring>

#include "client/pjrt/functions.h"

namespace acceld::pjrt {

absl::Status Memory_Id(PJRT_Memory_Id_Args& args) {
  args.id = args.memory->id;
  return absl::OkStatus();
}

absl::Status Memory_Kind(PJRT_Memory_Kind_Args& args) {
  args.kind = PJRT_Memory::kKind;
  args.kind_size = std::strlen(PJRT_Memory::kKind);
  return absl::OkStatus();
}

absl::Status Memory_Kind_Id(PJRT_Memory_Kind_Id_Args& args) {
  args.kind_id = PJRT_Memory::kKindId;
  return absl::OkStatus();
}

absl::Status Memory_DebugString(PJRT_Memory_DebugString_Args& args) {
  args.debug_string = args.memory->debug_string.data();
  args.debug_string_size = args.memory->debug_string.size();
  return absl::OkStatus();
}

absl::Status Memory_ToString(PJRT_Memory_ToString_Args& args) {
  args.to_string = args.memory->debug_string.data();
  args.to_string_size = args.memory->debug_string.size();
  return absl::OkStatus();
}

absl::Status Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args& args) {
  args.devices = &args.memory->device;
  args.num_devices = 1;
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
