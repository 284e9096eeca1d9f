#pragma once

#include "absl/strings/string_view.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// Reads and verifies a program in any form that files have, StableHLO text (text.h) or a portable
// artifact (bytecode.h), which is recognized by its first bytes. Error messages contain
// `file_name`. The bytes are untrusted.
absl::StatusOr<Module> ReadProgram(absl::string_view bytes,
                                   absl::string_view file_name = "<program>");

}  // namespace acceld::ir
