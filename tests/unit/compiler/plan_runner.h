#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/types/literal.h"
#include "common/status.h"
#include "kernels/cpu/collective_exchange.h"
#include "kernels/ir/interpreter/run_kernel.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// Runs a kernel on these buffers, as kernels::RunKernel does.
using KernelRunner =
    std::function<absl::Status(const kernels::Kernel&, absl::Span<std::string* const>)>;

// Runs attention on the operands' bytes, in the order that plan_text.cc prints them, and writes the
// last one's.
using AttentionRunner =
    std::function<absl::Status(const kernels::AttentionShape&, absl::Span<std::string> buffers)>;

// Runs a plan on host memory, by default with the kernel interpreter, and attention as its shape
// defines it: the meaning of plans, slow and obvious. Fresh memory is filled with garbage,
// arguments and constants are checked to be unwritten, and every slice must lie inside its space;
// INTERNAL otherwise. Of `shared`, argument and result have the same memory. Host calls call
// `callbacks`, by their numbers, and collectives `exchange`; FAILED_PRECONDITION if that is
// nullptr.
absl::StatusOr<std::vector<ir::Literal>> RunPlan(
    const kernels::Plan& plan, absl::Span<const ir::Literal> arguments,
    const KernelRunner& run = kernels::RunKernel, const AttentionRunner& run_attention = nullptr,
    absl::Span<const kernels::InputOutputAlias> shared = {},
    absl::Span<const ir::HostCallback> callbacks = {},
    kernels::cpu::CollectiveExchange* exchange = nullptr);

}  // namespace acceld::compiler
