#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that converts the operands of matrix products to f32 or f64, for products that are summed
// as floats (ir::AccumulationTypeOf) and whose operands the target cannot multiply directly:
// operands of narrow floats, of integers whose result is a float, and of two different types. The
// result is rounded once at the end. Converting takes time in proportion to the size of the
// operands, whereas emulating narrow arithmetic takes time in proportion to the multiplications.
// Small products stay as they are: they become loop nests, which convert element by element.
absl::StatusOr<ir::Module> WidenDots(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
