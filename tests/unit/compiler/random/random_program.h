#pragma once

#include <cstdint>
#include <vector>

#include "common/ir/module.h"
#include "common/ir/types/literal.h"

namespace acceld::compiler {

// A verified static module with entry "main" and arguments for it; the same for the same seed.
struct RandomProgram {
  ir::Module module;
  std::vector<ir::Literal> arguments;
};

// Programs of every op family, with nested control flow, captures, calls, empty and one-element
// shapes. Where float results depend on the order or the precision of the computation, the values
// are kept within [-8, 8] and never decide anything (comparisons, indices, conversions to
// integers), so two right implementations differ by rounding only.
RandomProgram MakeRandomProgram(uint64_t seed);

}  // namespace acceld::compiler
