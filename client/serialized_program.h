#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "client/program.h"
#include "common/status.h"

namespace acceld::client {

// A program as it is stored, for Program::FromBytes: what a JAX program serializes as its
// executable. It is the program and never code: who loads it gives it to a daemon, which finds the
// code in its cache if anybody has compiled it. So there is nothing in it that has to be trusted,
// and nothing that its holder could not have had compiled.
//
// The form: "acceld program 1\n", the number of bytes at the end (8 bytes, little-endian), their
// SHA-256, and the bytes, which are a serialized acceld.v1.Program.
std::string SerializeProgram(const Program& program);

// Whether bytes begin as SerializeProgram's.
bool IsSerializedProgram(absl::string_view bytes);

struct DeserializedProgram {
  ir::Module module;  // verified
  std::string entry;
};
// INVALID_ARGUMENT for bytes of another form, DATA_LOSS when they are damaged, and the errors of
// ir::FromProto.
absl::StatusOr<DeserializedProgram> DeserializeProgram(absl::string_view bytes);

}  // namespace acceld::client
