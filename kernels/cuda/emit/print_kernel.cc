#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

#include "absl/container/flat_hash_set.h"
#include "kernels/cuda/emit/analysis/disjoint_stores.h"
#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/cuda/emit/analysis/separate_columns.h"
#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/cuda/emit/context/thread_group.h"
#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/cuda/emit/kernel_frame.h"
#include "kernels/cuda/emit/nests/declare_scratch.h"
#include "kernels/cuda/emit/print_digit_sort.h"
#include "kernels/cuda/emit/statements/print_block.h"

namespace acceld::kernels::cuda {
namespace {

bool HasParallel(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& statement) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      return loop->kind == ForStatement::Kind::kParallel;
    }
    if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      return HasParallel(branch->then_body) || HasParallel(branch->else_body);
    }
    return false;
  });
}

// Whether thread blocks cannot execute the kernel's body independently: a statement depends on the
// effects of an earlier one, for which other blocks cannot wait, or uses scratch outside of
// parallel loops, which blocks do not share.
bool HasOrder(const Kernel& kernel, const Constants& constants) {
  const absl::flat_hash_set<uint32_t> disjoint = BuffersWithDisjointStores(kernel, constants);
  Effects before;
  for (const Statement& statement : kernel.body) {
    Effects now;
    now.Add(statement);
    now.Remove(disjoint);
    if (Effects::Conflict(before, now)) return true;
    const auto* loop = std::get_if<ForStatement>(&statement.value);
    const bool is_parallel = loop != nullptr && loop->kind == ForStatement::Kind::kParallel;
    if (!is_parallel && now.TouchesFrom(kernel.buffers.size())) return true;
    before.Add(now);
  }
  return false;
}

// Chooses the group that executes the kernel's body, and the threads of a block that does. All
// thread blocks execute it only if they need not wait for each other.
ThreadGroup ChooseThreadGroup(PrintContext& context) {
  const Block& body = context.kernel.body;
  const CooperativeWork& cooperative_work = context.cooperative_work;
  if (!cooperative_work.CanExecuteTogether(body)) return ThreadGroup::kThread;
  if (HasParallel(body) && !HasOrder(context.kernel, context.constants)) return ThreadGroup::kGrid;
  const int64_t work = cooperative_work.WorkIn(body);
  if (work < context.work_division.short_row ||
      context.scratch_bytes > context.shared_memory.bytes_left()) {
    return ThreadGroup::kThread;
  }
  context.launch_size.RaiseThreads(ThreadsToShare(work));
  return ThreadGroup::kBlock;
}

CudaKernel PrintStatements(const Kernel& kernel, const WorkDivision& work_division) {
  PrintContext context(kernel, work_division);
  const ThreadGroup group = ChooseThreadGroup(context);
  if (group != ThreadGroup::kGrid) DeclareScratch(context, kernel.body, group);
  PrintBlock(context, kernel.body, group);
  const KernelFrame frame{.threads = context.launch_size.threads(),
                          .resolves_at_use = context.expressions.resolves_at_use(),
                          .polls = context.polls,
                          .reduction_values = context.shared_memory.reduction_values()};
  return {.source = KernelFunction(kernel, frame, context.out.Take()),
          .blocks = context.launch_size.blocks(),
          .threads = context.launch_size.threads(),
          .polls = context.polls,
          .has_barriers = context.barriers.has_barriers()};
}

}  // namespace

CudaKernel PrintKernel(const Kernel& kernel, const WorkDivision& work_division) {
  if (kernel.digit_sort.has_value()) return PrintDigitSort(kernel);
  return PrintStatements(SeparateColumns(kernel), work_division);
}

}  // namespace acceld::kernels::cuda
