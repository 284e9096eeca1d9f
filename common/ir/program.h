#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// Reads a program in any form that has a file: StableHLO text (text.h) or a portable artifact
// (bytecode.h), told apart by how the bytes begin. `file_name` stands in messages. The result is
// verified; the bytes are untrusted.
absl::StatusOr<Module> ReadProgram(absl::string_view bytes,
                                   absl::string_view file_name = "<program>");

}  // namespace acceld::ir
