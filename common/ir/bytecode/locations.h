#pragma once

#include <cstdint>
#include <string>

#include "common/ir/bytecode/container.h"

namespace acceld::ir::bytecode {

// Returns the source location that a location attribute describes, for messages: "train.py:12:5
// (jit(step)/dot_general)". Of nested calls it is the innermost location. Empty when the attribute
// has no supported form: a location never makes a program invalid.
std::string DescribeLocation(const Container& container, uint64_t attribute);

}  // namespace acceld::ir::bytecode
