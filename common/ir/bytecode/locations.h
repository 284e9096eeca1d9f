#pragma once

#include <cstdint>
#include <string>

#include "common/ir/bytecode/container.h"

namespace acceld::ir::bytecode {

// Where the op with this location attribute comes from, for messages: "train.py:12:5
// (jit(step)/dot_general)". Of calls within calls, the innermost place is named. Empty when the
// attribute says nothing that is understood: a location never makes a program invalid.
std::string DescribeLocation(const Container& container, uint64_t attribute);

}  // namespace acceld::ir::bytecode
