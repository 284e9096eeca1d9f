#pragma once

#include <cstdint>

#include "common/ir/text/lexer.h"
#include "common/status.h"

namespace acceld::ir::text {

// '<' '[' (string '=' integer),* ']' (',' 'device_ids' '=' '[' integers ']')? '>': a mesh of
// devices as Shardy writes it. Gives how many devices it has.
absl::StatusOr<int64_t> ReadMesh(Lexer& lexer);

}  // namespace acceld::ir::text
