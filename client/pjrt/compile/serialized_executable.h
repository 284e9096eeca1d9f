#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "client/pjrt/distribution/device_assignment.h"
#include "client/program.h"
#include "common/status.h"

namespace acceld::pjrt {

// What a serialized executable contains: the program, as client::SerializeProgram writes it, and
// the devices for which it was compiled. A framework that loads it expects it to run on the same
// devices, and passes no others.
//
// The format: "acceld executable 1\n", the size of the assignment (8 bytes, little-endian), a
// serialized DeviceAssignmentProto, and the serialized program.
struct SerializedExecutable {
  client::Program program;
  absl::optional<DeviceAssignment> assignment;  // nullopt: an earlier version wrote none
};

std::string SerializeExecutable(const client::Program& program, const DeviceAssignment& assignment);
// INVALID_ARGUMENT for bytes in another format; the errors of client::Program::FromBytes.
absl::StatusOr<SerializedExecutable> DeserializeExecutable(absl::string_view bytes);

}  // namespace acceld::pjrt
