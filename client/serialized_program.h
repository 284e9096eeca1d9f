#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "client/program.h"
#include "common/status.h"

namespace acceld::client {

// Serializes a program for storage; Program::FromBytes reads it back. The JAX plugin uses this form
// for serialized executables. It contains only the program and never machine code: the process that
// loads it sends the program to a daemon, which finds the code in its cache if the program has been
// compiled before. The bytes need not be trusted, because they give their holder nothing that it
// could not have had compiled anyway.
//
// The format: "acceld program 1\n", the size of the body (8 bytes, little-endian), the SHA-256 of
// the body, and the body, which is a serialized acceld.v1.Program.
std::string SerializeProgram(const Program& program);

// Returns whether `bytes` begin like the output of SerializeProgram.
bool IsSerializedProgram(absl::string_view bytes);

// What DeserializeProgram reads.
struct DeserializedProgram {
  ir::Module module;  // Verified.
  std::string entry;
};
// Decodes the output of SerializeProgram. INVALID_ARGUMENT for bytes in another format, DATA_LOSS
// if they are damaged, and the errors of ir::FromProto.
absl::StatusOr<DeserializedProgram> DeserializeProgram(absl::string_view bytes);

}  // namespace acceld::client
