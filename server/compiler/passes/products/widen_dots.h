#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Products that are summed as floats (ir::AccumulationTypeOf) become products of f32 or f64,
// rounded once at the end, where the target has no instructions to multiply their operands: those
// of narrow floats, of integers whose result is a float, of operands of two types. The operands are
// converted before, which takes time in proportion to their size where a product emulated in
// software takes it in proportion to its work. Small products stay: a loop nest converts elements
// as it goes.
absl::StatusOr<ir::Module> WidenDots(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
