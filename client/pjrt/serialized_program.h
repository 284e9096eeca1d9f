#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "client/program.h"
#include "common/status.h"

namespace acceld::pjrt {

// An executable as a framework stores it: the program, and never code. Who loads it gives the
// program to a daemon, which finds the code in its cache if anybody has compiled it; so there is
// nothing in it that has to be trusted, and nothing that its holder could not have had compiled.
//
// The form: "acceld program 1\n", the SHA-256 of what follows, and a serialized acceld.v1.Program.
std::string SerializeProgram(const client::Program& program);

// INVALID_ARGUMENT for bytes of another form, DATA_LOSS when they are damaged, and the errors of
// Program::FromModule.
absl::StatusOr<client::Program> DeserializeProgram(absl::string_view bytes);

}  // namespace acceld::pjrt
