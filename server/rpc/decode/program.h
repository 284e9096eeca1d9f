#pragma once

#include <string>

#include "acceld/v1/acceld.pb.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::rpc {

// Decodes a program in either of its forms, a module or text. May take seconds for a large program.
// INVALID_ARGUMENT when the message has neither form; otherwise the errors of ir::ReadProgram and
// ir::FromProto.
absl::StatusOr<ir::Module> DecodeProgram(const v1::Program& program);

// The name of the function to run: "main" when the message names none.
std::string EntryOf(const v1::Program& program);

}  // namespace acceld::rpc
