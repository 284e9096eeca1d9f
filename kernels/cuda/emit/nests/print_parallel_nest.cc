#include "kernels/cuda/emit/nests/print_parallel_nest.h"

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/emit/analysis/columns.h"
#include "kernels/cuda/emit/analysis/lanes.h"
#include "kernels/cuda/emit/analysis/tiles.h"
#include "kernels/cuda/emit/nests/declare_scratch.h"
#include "kernels/cuda/emit/nests/flat_loop.h"
#include "kernels/cuda/emit/nests/print_columns.h"
#include "kernels/cuda/emit/nests/print_lanes.h"
#include "kernels/cuda/emit/nests/print_tiles.h"
#include "kernels/cuda/emit/statements/print_block.h"
#include "kernels/cuda/emit/statements/print_poll.h"

namespace acceld::kernels::cuda {
namespace {

// From kManyScans scans on, each is shared only as if it had at most kWorkOfManyScans iterations,
// which gives blocks of 256 threads. Threads of small blocks wait less for each other, and there
// are enough blocks to fill a device.
constexpr int64_t kManyScans = 128, kWorkOfManyScans = 1024;

// Each thread block executes an iteration of the nest together.
void PrintRows(PrintContext& context, const ParallelNest& nest) {
  OpenBlockLoop(context, nest.iterations, nest.body());
  DeclareScratch(context, nest.body(), ThreadGroup::kBlock);
  DefineInductions(context, nest.loops, nest.iterations);
  PrintBlock(context, nest.body(), ThreadGroup::kBlock);
  // Rows have nothing in common but the scratch.
  if (!context.kernel.scratch.empty()) context.barriers.Print(context.out);
  context.out.Close();
}

// Each thread of the launch executes iterations of the nest.
void PrintElements(PrintContext& context, const ParallelNest& nest) {
  const WorkDivision& work_division = context.work_division;
  const Tiles tiles = FindTiles(context.kernel, context.constants, nest, work_division.tile_extent,
                                context.shared_memory.bytes_left());
  if (tiles.across != nullptr) return PrintTiles(context, nest, tiles);
  const Lanes lanes =
      FindLanes(context.kernel, context.constants, nest, work_division.busy_threads);
  if (lanes.width > 1) return PrintLanes(context, nest, lanes);
  OpenGridLoop(context, nest.iterations, nest.body());
  DeclareScratch(context, nest.body(), ThreadGroup::kThread);
  DefineInductions(context, nest.loops, nest.iterations);
  PrintBlock(context, nest.body(), ThreadGroup::kThread);
  context.out.Close();
}

// Each thread of a thread block executes iterations of the nest. The scratch is the block's.
void PrintElementsOfBlock(PrintContext& context, const ParallelNest& nest) {
  context.out.Open("for (", FlatIndexType(nest.iterations), " flat = threadIdx.x; flat < ",
                   nest.iterations, "; flat += blockDim.x)");
  PrintPoll(context, "(flat / blockDim.x)", static_cast<double>(nest.iterations), nest.body(),
            ThreadGroup::kThread);
  DefineInductions(context, nest.loops, nest.iterations);
  PrintBlock(context, nest.body(), ThreadGroup::kThread);
  context.out.Close();
}

}  // namespace

void PrintParallelNest(PrintContext& context, const ParallelNest& nest, ThreadGroup group) {
  if (nest.iterations == 0) return;
  if (group != ThreadGroup::kGrid) return PrintElementsOfBlock(context, nest);
  const Kernel& kernel = context.kernel;
  const WorkDivision& work_division = context.work_division;
  const CooperativeWork& cooperative_work = context.cooperative_work;
  if (ReducesColumns(kernel, context.constants, cooperative_work, nest)) {
    const int threads = ThreadsForColumn(kernel, cooperative_work, nest, work_division);
    if (threads == 1) return PrintElements(context, nest);
    if (threads > 1) return PrintColumns(context, nest, threads);
  }
  const bool scans = cooperative_work.HasScan(nest.body());
  if (scans && ScansColumns(kernel, context.constants, cooperative_work, nest)) {
    return PrintElements(context, nest);
  }
  int64_t work = cooperative_work.WorkIn(nest.body());
  // If each row of a scan had one thread, adjacent threads would not read adjacent memory.
  const bool is_long =
      work >= work_division.long_row ||
      (work >= work_division.short_row && (scans || nest.iterations < work_division.few_rows));
  if (scans && nest.iterations >= kManyScans) work = std::min(work, kWorkOfManyScans);
  if (is_long && cooperative_work.CanExecuteTogether(nest.body()) &&
      context.scratch_bytes <= context.shared_memory.bytes_left()) {
    context.launch_size.RaiseThreads(ThreadsToShare(work));
    return PrintRows(context, nest);
  }
  PrintElements(context, nest);
}

}  // namespace acceld::kernels::cuda
