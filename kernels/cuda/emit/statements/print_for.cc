#include "kernels/cuda/emit/statements/print_for.h"

#include "absl/strings/ascii.h"
#include "kernels/cuda/emit/analysis/effects.h"
#include "kernels/cuda/emit/nests/print_parallel_nest.h"
#include "kernels/cuda/emit/statements/print_loop.h"
#include "kernels/cuda/emit/statements/print_reduction.h"
#include "kernels/cuda/emit/statements/print_scan.h"

namespace acceld::kernels::cuda {
namespace {

// Prints a loop whose iterations the threads cannot share. Without stores, each thread executes all
// iterations; with stores, one thread does.
void PrintUnshared(PrintContext& context, const ForStatement& loop, ThreadGroup group) {
  Effects effects;
  effects.Add(loop.body);
  if (!effects.has_stores()) return PrintLoop(context, loop, ThreadGroup::kThread);
  context.out.Open(absl::StripTrailingAsciiWhitespace(IfFirst(group)));
  PrintLoop(context, loop, ThreadGroup::kThread);
  context.out.Close();
}

}  // namespace

void PrintFor(PrintContext& context, const ForStatement& loop, ThreadGroup group) {
  const CooperativeWork& cooperative_work = context.cooperative_work;
  const SharedScan* scan = cooperative_work.ScanOf(loop);
  if (group == ThreadGroup::kThread) {
    return scan != nullptr ? PrintScan(context, *scan, group) : PrintLoop(context, loop, group);
  }
  if (loop.kind == ForStatement::Kind::kParallel) {
    return PrintParallelNest(context, NestOf(loop), group);
  }
  const SharedReduction* reduction = cooperative_work.ReductionOf(loop);
  if (group == ThreadGroup::kColumn && reduction != nullptr) {
    return PrintReduction(context, *reduction, group);
  }
  if (group == ThreadGroup::kBlock) {
    const int64_t short_row = context.work_division.short_row;
    if (reduction != nullptr && reduction->iterations >= short_row) {
      return PrintReduction(context, *reduction, group);
    }
    if (scan != nullptr && loop.extent >= short_row) return PrintScan(context, *scan, group);
    if (cooperative_work.WorkIn(loop.body) > 1) return PrintLoop(context, loop, group);
  }
  PrintUnshared(context, loop, group);
}

}  // namespace acceld::kernels::cuda
