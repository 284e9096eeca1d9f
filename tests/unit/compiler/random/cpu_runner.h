#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"
#include "kernels/cpu/cpu_module.h"
#include "kernels/cpu/interrupt_handler.h"
#include "server/hal/executable.h"

namespace acceld::compiler {

// Who interrupts a run, as kernels::cpu::LaunchContext says.
struct Interruption {
  const volatile bool* interrupted = nullptr;
  kernels::cpu::InterruptHandler* interrupt_handler = nullptr;
  std::function<void()> run_begins;  // Called right before the run. May be empty.
};

// "main" of a module, compiled for this machine. ACCELD_DUMP_DIR=DIR keeps all stages of
// compilation as text.
class CpuProgram {
 public:
  static absl::StatusOr<CpuProgram> Compile(const ir::Module& module,
                                            absl::Span<const ir::Literal> arguments);

  // Arguments that `is_donated` names share their memory with results, where they may.
  absl::StatusOr<std::vector<ir::Literal>> Run(
      absl::Span<const ir::Literal> arguments, int num_threads,
      const Interruption& interruption = {},
      const std::function<bool(uint32_t argument)>& is_donated = {}) const;

 private:
  hal::Executable executable_;
  std::shared_ptr<const kernels::cpu::CpuModule> code_;
};

// Compiles and runs.
absl::StatusOr<std::vector<ir::Literal>> RunOnCpu(const ir::Module& module,
                                                  absl::Span<const ir::Literal> arguments,
                                                  int num_threads,
                                                  const Interruption& interruption = {});

}  // namespace acceld::compiler
