#pragma once

#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/literal.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/cpu/interrupts.h"

namespace acceld::compiler {

// Who interrupts a run, as kernels::cpu::LaunchContext says.
struct Interruption {
  const volatile bool* interrupted = nullptr;
  kernels::cpu::Interrupts* interrupts = nullptr;
  std::function<void()> run_begins;  // Called right before the run. May be empty.
};

// Compiles "main" of a module for this machine and runs it. ACCELD_DUMP_DIR=DIR keeps all stages of
// compilation as text.
absl::StatusOr<std::vector<ir::Literal>> RunOnCpu(const ir::Module& module,
                                                  absl::Span<const ir::Literal> arguments,
                                                  int num_threads,
                                                  const Interruption& interruption = {});

}  // namespace acceld::compiler
