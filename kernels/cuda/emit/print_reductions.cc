// The part of KernelPrinter that prints reductions.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/ceil_divide.h"
#include "kernels/cuda/emit/analysis/loop_free_cost.h"
#include "kernels/cuda/emit/kernel_printer.h"
#include "kernels/cuda/emit/scalar_text.h"
#include "kernels/ir/build/combining.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int64_t kMaxUnrolledWork = 32;
// Sums of up to this many elements are not compensated: their rounding errors do not matter.
constexpr int64_t kShortSum = 8;

}  // namespace

bool KernelPrinter::IsExact(const SharedReduction& reduction, size_t i) const {
  const DType dtype = kernel_.TypeOf(reduction.loops.front()->carried[i].result);
  return reduction.iterations > kShortSum && IsFloatSum(reduction.combine[i], dtype);
}

bool KernelPrinter::HasExactSums(const SharedReduction& reduction) const {
  for (size_t i = 0; i < reduction.combine.size(); ++i) {
    if (IsExact(reduction, i)) return true;
  }
  return false;
}

void KernelPrinter::PrintPartials(const SharedReduction& reduction) {
  for (size_t i = 0; i < reduction.combine.size(); ++i) {
    const Var result = reduction.loops.front()->carried[i].result;
    const DType dtype = kernel_.TypeOf(result);
    Line(absl::StrCat(RegisterType(dtype), " partial", Name(result), " = ",
                      ConstantText(dtype, IdentityOf(reduction.combine[i], dtype)), ";"));
    if (IsExact(reduction, i)) {
      Line(absl::StrCat(RegisterType(dtype), " lost", Name(result), " = 0;"));
    }
  }
}

void KernelPrinter::PrintIteration(const SharedReduction& reduction) {
  const std::vector<CarriedValue>& carried = reduction.loops.back()->carried;
  const auto name = [&](size_t i) { return Name(reduction.loops.front()->carried[i].result); };
  for (size_t i = 0; i < carried.size(); ++i) {
    const DType dtype = kernel_.TypeOf(carried[i].result);
    // For a compensated sum, the body computes only the contribution of the iteration.
    const std::string current = IsExact(reduction, i)
                                    ? ConstantText(dtype, IdentityOf(ScalarOp::kAdd, dtype))
                                    : absl::StrCat("partial", name(i));
    Line(absl::StrCat(Define(carried[i].current), " = ", current, ";"));
  }
  PrintBlock(reduction.body(), ThreadGroup::kThread);
  for (size_t i = 0; i < carried.size(); ++i) {
    const std::string next = Name(carried[i].next);
    Line(IsExact(reduction, i)
             ? absl::StrCat("AddCompensated(partial", name(i), ", lost", name(i), ", ", next, ");")
             : absl::StrCat("partial", name(i), " = ", next, ";"));
  }
}

void KernelPrinter::PrintRounding(const SharedReduction& reduction) {
  for (size_t i = 0; i < reduction.combine.size(); ++i) {
    if (!IsExact(reduction, i)) continue;
    const std::string name = Name(reduction.loops.front()->carried[i].result);
    Line(absl::StrCat("partial", name, " = RoundedSum(partial", name, ", lost", name, ");"));
  }
}

void KernelPrinter::PrintReductionAlone(const SharedReduction& reduction) {
  PrintPartials(reduction);
  for (const ForStatement* loop : reduction.loops) {
    const std::string i = Name(loop->induction);
    Open(absl::StrCat("for (", RegisterType(TypeOf(loop->induction)), " ", i, " = 0; ", i, " < ",
                      loop->extent, "; ++", i, ")"));
    LeaveIfCancelled(i, static_cast<double>(loop->extent), loop->body, ThreadGroup::kThread);
  }
  PrintIteration(reduction);
  for (size_t level = 0; level < reduction.loops.size(); ++level) Close();
  PrintRounding(reduction);
  PrintResults(reduction);
}

void KernelPrinter::PrintResults(const SharedReduction& reduction) {
  const std::vector<CarriedValue>& outer = reduction.loops.front()->carried;
  for (size_t i = 0; i < outer.size(); ++i) {
    const DType dtype = kernel_.TypeOf(outer[i].result);
    const std::string partial = absl::StrCat("partial", Name(outer[i].result));
    Line(absl::StrCat(
        Define(outer[i].result), " = ",
        ScalarText(reduction.combine[i], dtype, dtype, {Wide(outer[i].initial), partial}), ";"));
  }
}

void KernelPrinter::PrintReduction(const SharedReduction& reduction, ThreadGroup group) {
  const bool of_column = group == ThreadGroup::kColumn;
  shared_values_ = std::max(shared_values_, of_column ? 1024 : 32);
  PrintPartials(reduction);
  // Unrolled, so that a thread waits for several loads at the same time.
  const absl::optional<int64_t> work = LoopFreeCostOf(reduction.body());
  if (work.has_value() && *work <= kMaxUnrolledWork) Line("#pragma unroll 4");
  Open(absl::StrCat("for (", FlatType(reduction.iterations), " flat = threadIdx.x",
                    of_column ? " / 32" : "", "; flat < ", reduction.iterations,
                    "; flat += blockDim.x", of_column ? " / 32" : "", ")"));
  LeaveIfCancelled(of_column ? "(flat / (blockDim.x / 32))" : "(flat / blockDim.x)",
                   static_cast<double>(reduction.iterations), reduction.body(),
                   ThreadGroup::kThread);
  PrintInductions(reduction.loops, reduction.iterations);
  PrintIteration(reduction);
  Close();
  PrintRounding(reduction);
  const std::vector<CarriedValue>& outer = reduction.loops.front()->carried;
  for (size_t i = 0; i < outer.size(); ++i) {
    const DType dtype = kernel_.TypeOf(outer[i].result);
    const absl::string_view type = RegisterType(dtype);
    const std::string partial = absl::StrCat("partial", Name(outer[i].result));
    out_.has_barriers = true;
    Line(absl::StrCat(partial, " = ", of_column ? "ColumnReduce(" : "BlockReduce(", partial,
                      ", [](", type, " a, ", type, " b) -> ", type, " { return ",
                      ScalarText(reduction.combine[i], dtype, dtype, {"a", "b"}), "; }, space);"));
  }
  PrintResults(reduction);
  since_barrier_.Clear();  // BlockReduce has barriers.
}

void KernelPrinter::PrintColumns(const ParallelNest& nest, int threads) {
  constexpr int kColumns = 32;
  out_.threads = std::max(out_.threads, kColumns * threads);
  OpenBlockLoop(CeilDivide(nest.iterations, kColumns), nest.body(), "group");
  const absl::string_view type = FlatType(nest.iterations);
  // Threads past the end compute the last column again, because they must take part in barriers.
  Line(absl::StrCat("const ", type, " place = group * ", kColumns, " + threadIdx.x % ", kColumns,
                    ";"));
  Line(absl::StrCat("const ", type, " flat = place < ", nest.iterations,
                    " ? place : ", nest.iterations - 1, ";"));
  PrintInductions(nest.loops, nest.iterations);
  PrintBlock(nest.body(), ThreadGroup::kColumn);
  Close();
}

}  // namespace acceld::kernels::cuda
