#pragma once

#include <cstdint>

#include "common/ir/text/lexer.h"
#include "common/status.h"

namespace acceld::ir::text {

// Reads a mesh of devices in Shardy's text form and returns its number of devices:
//   '<' '[' (string '=' integer),* ']' (',' 'device_ids' '=' '[' integers ']')? '>'
absl::StatusOr<int64_t> ReadMesh(Lexer& lexer);

}  // namespace acceld::ir::text
