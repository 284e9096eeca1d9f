#include "client/pjrt/compile/serialized_executable.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/serialized_program.h"

namespace acceld::pjrt {
namespace {

constexpr absl::string_view kMagic = "acceld executable 1\n";
constexpr size_t kSizeBytes = sizeof(uint64_t);

absl::Status NotAnExecutable(size_t size_bytes) {
  return absl::InvalidArgumentError(
      absl::StrCat(size_bytes, " bytes that are no executable which acceld has serialized"));
}

// Removes a message with its size from the beginning of `bytes`. Returns whether there was one.
bool ConsumeMessage(absl::string_view& bytes, absl::string_view& message) {
  if (bytes.size() < kSizeBytes) return false;
  uint64_t size_bytes = 0;
  for (size_t i = 0; i < kSizeBytes; ++i) {
    size_bytes |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  bytes.remove_prefix(kSizeBytes);
  if (size_bytes > bytes.size()) return false;
  message = bytes.substr(0, size_bytes);
  bytes.remove_prefix(size_bytes);
  return true;
}

}  // namespace

std::string SerializeExecutable(const client::Program& program,
                                const DeviceAssignment& assignment) {
  const std::string message = ToProto(assignment).SerializeAsString();
  std::string size;
  for (size_t i = 0; i < kSizeBytes; ++i) {
    size.push_back(static_cast<char>(uint64_t{message.size()} >> (8 * i) & 0xff));
  }
  return absl::StrCat(kMagic, size, message, client::SerializeProgram(program));
}

absl::StatusOr<SerializedExecutable> DeserializeExecutable(absl::string_view bytes) {
  const size_t size_bytes = bytes.size();
  absl::optional<DeviceAssignment> assignment;
  if (absl::ConsumePrefix(&bytes, kMagic)) {
    absl::string_view serialized;
    DeviceAssignmentProto message;
    if (!ConsumeMessage(bytes, serialized) || !message.ParseFromString(std::string(serialized))) {
      return NotAnExecutable(size_bytes);
    }
    ACCELD_ASSIGN_OR_RETURN(assignment, ReadDeviceAssignment(message));
  }
  if (!client::IsSerializedProgram(bytes)) return NotAnExecutable(size_bytes);
  ACCELD_ASSIGN_OR_RETURN(client::Program program, client::Program::FromBytes(bytes));
  return SerializedExecutable{.program = std::move(program), .assignment = std::move(assignment)};
}

}  // namespace acceld::pjrt
