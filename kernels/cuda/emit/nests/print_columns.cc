#include "kernels/cuda/emit/nests/print_columns.h"

#include "common/ceil_divide.h"
#include "kernels/cuda/emit/nests/flat_loop.h"
#include "kernels/cuda/emit/statements/print_block.h"

namespace acceld::kernels::cuda {

void PrintColumns(PrintContext& context, const ParallelNest& nest, int threads) {
  constexpr int kColumns = kWarp;  // of a block: each thread of a warp has another one
  context.launch_size.RaiseThreads(kColumns * threads);
  OpenBlockLoop(context, CeilDivide(nest.iterations, kColumns), nest.body(), "group");
  const absl::string_view type = FlatIndexType(nest.iterations);
  // Threads past the end compute the last column again, because they must take part in barriers.
  context.out.Line("const ", type, " position = group * ", kColumns, " + threadIdx.x % ", kColumns,
                   ";");
  context.out.Line("const ", type, " flat = position < ", nest.iterations,
                   " ? position : ", nest.iterations - 1, ";");
  DefineInductions(context, nest.loops, nest.iterations);
  PrintBlock(context, nest.body(), ThreadGroup::kColumn);
  context.out.Close();
}

}  // namespace acceld::kernels::cuda
