#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/hal/code_generator.h"

namespace acceld::compiler {

// Products of floats that the target has no instructions to multiply are products of f32, rounded
// once at the end: their operands are converted before, which takes time in proportion to their
// size where a product emulated in software takes it in proportion to its work. Small products
// stay: a loop nest converts elements as it goes.
absl::StatusOr<ir::Module> WidenDots(const ir::Module& module, const hal::CodeGenerator& target);

}  // namespace acceld::compiler
