#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Writes every op of OpFamily::kDerived (batch normalization, map, random numbers) as other ops, so
// that nothing later knows them. After inlining, since calls in the region of a map stand in the
// way of the short form; before everything that simplifies. Random numbers of `rng` are a function
// of the program, the place of the op and the iterations of the loops around it: every op and
// iteration of one execution draws from a stream of its own, and executions repeat.
// RESOURCE_EXHAUSTED and the like from types that grow too large.
absl::StatusOr<ir::Module> Decompose(const ir::Module& module);

}  // namespace acceld::compiler
