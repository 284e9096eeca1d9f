#include "kernels/cuda/emit/analysis/columns.h"

#include <algorithm>
#include <variant>

#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/cuda/emit/analysis/loop_free_cost.h"

namespace acceld::kernels::cuda {
namespace {

// The most threads for a column; more would not be faster.
constexpr int kMaxThreads = 32;
// With fewer columns, adjacent threads would not access enough adjacent memory.
constexpr int64_t kMinColumns = 8;

}  // namespace

bool ReducesColumns(const Kernel& kernel, const Constants& constants,
                    const CooperativeWork& cooperative_work, const ParallelNest& nest) {
  int for_columns = 0, for_rows = 0;
  Patterns across(kernel, constants, nest.body(), nest.loops.back()->induction, 0);
  for (const Statement& statement : nest.body()) {
    const auto* loop = std::get_if<ForStatement>(&statement.value);
    const SharedReduction* reduction =
        loop == nullptr ? nullptr : cooperative_work.ReductionOf(*loop);
    if (reduction == nullptr) continue;
    Patterns along(kernel, constants, reduction->loops.back()->induction, 0);
    for (const ForStatement* part : reduction->loops) {
      across.Add(part->body);
      along.Add(part->body);
    }
    for (const Statement& inner : reduction->body()) {
      const auto* load = std::get_if<LoadStatement>(&inner.value);
      if (load == nullptr) continue;
      for_columns += across.Of(load->index).is_near() && !along.Of(load->index).is_near();
      for_rows += along.Of(load->index).is_near() && !across.Of(load->index).is_near();
    }
  }
  return for_columns > for_rows;
}

bool ScansColumns(const Kernel& kernel, const Constants& constants,
                  const CooperativeWork& cooperative_work, const ParallelNest& nest) {
  if (nest.loops.back()->extent < kMinColumns) return false;
  int for_columns = 0, for_rows = 0;
  Patterns across(kernel, constants, nest.body(), nest.loops.back()->induction, 0);
  for (const Statement& statement : nest.body()) {
    const auto* loop = std::get_if<ForStatement>(&statement.value);
    if (loop == nullptr || cooperative_work.ScanOf(*loop) == nullptr) continue;
    const Patterns along(kernel, constants, loop->body, loop->induction, 0);
    across.Add(loop->body);
    for (const Statement& inner : loop->body) {
      const auto* load = std::get_if<LoadStatement>(&inner.value);
      const auto* store = std::get_if<StoreStatement>(&inner.value);
      if (load == nullptr && store == nullptr) continue;
      const Var index = load != nullptr ? load->index : store->index;
      for_columns += across.Of(index).is_near() && !along.Of(index).is_near();
      for_rows += along.Of(index).is_near() && !across.Of(index).is_near();
    }
  }
  return for_columns > for_rows;
}

int ThreadsForColumn(const Kernel& kernel, const CooperativeWork& cooperative_work,
                     const ParallelNest& nest, const WorkDivision& work_division) {
  Effects effects;
  effects.Add(nest.body());
  for (const uint32_t buffer : effects.BuffersFrom(0)) {
    // There is no barrier between a store by one thread of a column and a load by another.
    if (effects.Loads(buffer) && effects.Stores(buffer)) return 0;
  }
  if (effects.TouchesFrom(kernel.buffers.size())) return 0;
  int64_t rows = 0;
  for (const Statement& statement : nest.body()) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      const SharedReduction* reduction = cooperative_work.ReductionOf(*loop);
      if (reduction == nullptr) return 0;
      rows = std::max(rows, reduction->iterations);
    } else if (std::holds_alternative<WhileStatement>(statement.value)) {
      return 0;
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      // Threads of different columns may take different branches, so there must be no barrier in
      // them.
      Effects inside;
      inside.Add(statement);
      if (inside.has_stores() || !LoopFreeCostOf(branch->then_body).has_value() ||
          !LoopFreeCostOf(branch->else_body).has_value()) {
        return 0;
      }
    }
  }
  int threads = 1;
  while (threads < kMaxThreads && nest.iterations * threads < 2 * work_division.busy_columns &&
         2 * threads * work_division.rows_of_thread <= rows) {
    threads *= 2;
  }
  return threads;
}

}  // namespace acceld::kernels::cuda
