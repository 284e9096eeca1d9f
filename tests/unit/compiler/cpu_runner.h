#pragma once

#include <vector>

#include "absl/types/span.h"
#include "common/ir/literal.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Compiles "main" of a module for this machine and runs it. ACCELD_DUMP_DIR=DIR keeps all stages of
// compilation as text.
absl::StatusOr<std::vector<ir::Literal>> RunOnCpu(const ir::Module& module,
                                                  absl::Span<const ir::Literal> arguments,
                                                  int num_threads);

}  // namespace acceld::compiler
