#include "kernels/cuda/emit/statements/print_reduction.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "kernels/cuda/emit/analysis/loop_free_cost.h"
#include "kernels/cuda/emit/nests/flat_loop.h"
#include "kernels/cuda/emit/scalar_text.h"
#include "kernels/cuda/emit/statements/print_block.h"
#include "kernels/cuda/emit/statements/print_loop.h"
#include "kernels/cuda/emit/statements/print_poll.h"
#include "kernels/ir/build/combining.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int64_t kMaxUnrolledWork = 32;
// Sums of up to this many elements are not compensated: their rounding errors do not matter.
constexpr int64_t kShortSum = 8;
// The number of values in shared memory with which a block, and all columns of a block, combine
// the partial results of their threads (device/block.cuh).
constexpr int kValuesOfBlock = 32, kValuesOfColumns = 1024;

// Value number i of the reduction after the nest, as its outermost loop defines it.
Var ResultOf(const SharedReduction& reduction, size_t i) {
  return reduction.loops.front()->carried[i].result;
}

// The variables for a thread's partial result number i, and for its rounding errors so far if it is
// a compensated sum.
std::string Partial(const SharedReduction& reduction, size_t i) {
  return absl::StrCat("partial", VariableName(ResultOf(reduction, i)));
}
std::string RoundingErrors(const SharedReduction& reduction, size_t i) {
  return absl::StrCat("lost", VariableName(ResultOf(reduction, i)));
}

// Whether value number i is a sum that is compensated.
bool IsCompensated(const Kernel& kernel, const SharedReduction& reduction, size_t i) {
  const DType dtype = kernel.TypeOf(ResultOf(reduction, i));
  return reduction.iterations > kShortSum && IsFloatSum(reduction.combine[i], dtype);
}

// Declares the partial results, each with the identity element of its operation.
void DeclarePartials(PrintContext& context, const SharedReduction& reduction) {
  for (size_t i = 0; i < reduction.combine.size(); ++i) {
    const DType dtype = context.kernel.TypeOf(ResultOf(reduction, i));
    context.out.Line(RegisterType(dtype), " ", Partial(reduction, i), " = ",
                     ConstantText(dtype, IdentityOf(reduction.combine[i], dtype)), ";");
    if (IsCompensated(context.kernel, reduction, i)) {
      context.out.Line(RegisterType(dtype), " ", RoundingErrors(reduction, i), " = 0;");
    }
  }
}

// Prints one iteration, which combines the partial results with an element each.
void PrintIteration(PrintContext& context, const SharedReduction& reduction) {
  const std::vector<CarriedValue>& carried = reduction.loops.back()->carried;
  for (size_t i = 0; i < carried.size(); ++i) {
    const DType dtype = context.kernel.TypeOf(carried[i].result);
    // For a compensated sum, the body computes only the contribution of the iteration.
    const std::string current = IsCompensated(context.kernel, reduction, i)
                                    ? ConstantText(dtype, IdentityOf(ScalarOp::kAdd, dtype))
                                    : Partial(reduction, i);
    context.out.Line(context.expressions.Definition(carried[i].current), " = ", current, ";");
  }
  PrintBlock(context, reduction.body(), ThreadGroup::kThread);
  for (size_t i = 0; i < carried.size(); ++i) {
    const std::string next = VariableName(carried[i].next);
    if (IsCompensated(context.kernel, reduction, i)) {
      context.out.Line("AddCompensated(", Partial(reduction, i), ", ", RoundingErrors(reduction, i),
                       ", ", next, ");");
    } else {
      context.out.Line(Partial(reduction, i), " = ", next, ";");
    }
  }
}

// Adds the rounding errors to the compensated sums.
void RoundPartials(PrintContext& context, const SharedReduction& reduction) {
  for (size_t i = 0; i < reduction.combine.size(); ++i) {
    if (!IsCompensated(context.kernel, reduction, i)) continue;
    const std::string partial = Partial(reduction, i);
    context.out.Line(partial, " = RoundedSum(", partial, ", ", RoundingErrors(reduction, i), ");");
  }
}

// Combines the partial results of the threads of a block or of a column. All these threads get the
// outcome as their partial results.
void CombinePartials(PrintContext& context, const SharedReduction& reduction, ThreadGroup group) {
  const bool of_column = group == ThreadGroup::kColumn;
  context.shared_memory.RaiseReductionValues(of_column ? kValuesOfColumns : kValuesOfBlock);
  for (size_t i = 0; i < reduction.combine.size(); ++i) {
    const DType dtype = context.kernel.TypeOf(ResultOf(reduction, i));
    const absl::string_view type = RegisterType(dtype);
    const std::string partial = Partial(reduction, i);
    context.barriers.NoteCall();
    context.out.Line(partial, " = ", of_column ? "ColumnReduce(" : "BlockReduce(", partial, ", [](",
                     type, " a, ", type, " b) -> ", type, " { return ",
                     ScalarText(reduction.combine[i], dtype, dtype, {"a", "b"}), "; }, space);");
  }
  context.barriers.Forget();
}

// Defines the results: the initial values combined with the partial results.
void DefineResults(PrintContext& context, const SharedReduction& reduction) {
  const std::vector<CarriedValue>& outer = reduction.loops.front()->carried;
  for (size_t i = 0; i < outer.size(); ++i) {
    const DType dtype = context.kernel.TypeOf(outer[i].result);
    const std::string initial = context.expressions.InIrType(outer[i].initial);
    context.out.Line(
        context.expressions.Definition(outer[i].result), " = ",
        ScalarText(reduction.combine[i], dtype, dtype, {initial, Partial(reduction, i)}), ";");
  }
}

}  // namespace

bool HasCompensatedSums(const Kernel& kernel, const SharedReduction& reduction) {
  for (size_t i = 0; i < reduction.combine.size(); ++i) {
    if (IsCompensated(kernel, reduction, i)) return true;
  }
  return false;
}

void PrintReductionAlone(PrintContext& context, const SharedReduction& reduction) {
  DeclarePartials(context, reduction);
  for (const ForStatement* loop : reduction.loops) {
    OpenLoop(context, *loop, ThreadGroup::kThread);
  }
  PrintIteration(context, reduction);
  for (size_t level = 0; level < reduction.loops.size(); ++level) context.out.Close();
  RoundPartials(context, reduction);
  DefineResults(context, reduction);
}

void PrintReduction(PrintContext& context, const SharedReduction& reduction, ThreadGroup group) {
  const bool of_column = group == ThreadGroup::kColumn;
  DeclarePartials(context, reduction);
  // Unrolled, so that a thread waits for several loads at the same time.
  const absl::optional<int64_t> work = LoopFreeCostOf(reduction.body());
  if (work.has_value() && *work <= kMaxUnrolledWork) context.out.Line("#pragma unroll 4");
  // Each warp of the block has a thread of each column.
  const absl::string_view per_column = of_column ? " / 32" : "";
  context.out.Open("for (", FlatIndexType(reduction.iterations), " flat = threadIdx.x", per_column,
                   "; flat < ", reduction.iterations, "; flat += blockDim.x", per_column, ")");
  PrintPoll(context, of_column ? "(flat / (blockDim.x / 32))" : "(flat / blockDim.x)",
            static_cast<double>(reduction.iterations), reduction.body(), ThreadGroup::kThread);
  DefineInductions(context, reduction.loops, reduction.iterations);
  PrintIteration(context, reduction);
  context.out.Close();
  RoundPartials(context, reduction);
  CombinePartials(context, reduction, group);
  DefineResults(context, reduction);
}

}  // namespace acceld::kernels::cuda
