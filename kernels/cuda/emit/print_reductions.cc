// Reductions that several threads share.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "kernels/cuda/emit/kernel_printer.h"
#include "kernels/cuda/emit/scalar_text.h"
#include "kernels/cuda/emit/straight_work.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int64_t kMaxUnrolledWork = 32;

}  // namespace

void KernelPrinter::PrintReduction(const SharedReduction& reduction, Team team) {
  const bool of_column = team == Team::kColumn;
  shared_values_ = std::max(shared_values_, of_column ? 1024 : 32);
  const std::vector<CarriedValue>& carried = reduction.loops.back()->carried;
  const std::vector<CarriedValue>& outer = reduction.loops.front()->carried;
  const auto type = [&](size_t i) { return kernel_.TypeOf(carried[i].result); };
  const auto partial = [&](size_t i) { return absl::StrCat("partial", Name(outer[i].result)); };
  for (size_t i = 0; i < carried.size(); ++i) {
    Line(absl::StrCat(RegisterType(type(i)), " ", partial(i), " = ",
                      ConstantText(type(i), IdentityOf(reduction.combine[i], type(i))), ";"));
  }
  // So that a thread waits for several loads at the same time.
  const absl::optional<int64_t> work = StraightWorkOf(reduction.body());
  if (work.has_value() && *work <= kMaxUnrolledWork) Line("#pragma unroll 4");
  Open(absl::StrCat("for (", FlatType(reduction.iterations), " flat = threadIdx.x",
                    of_column ? " / 32" : "", "; flat < ", reduction.iterations,
                    "; flat += blockDim.x", of_column ? " / 32" : "", ")"));
  LeaveIfCancelled(of_column ? "(flat / (blockDim.x / 32))" : "(flat / blockDim.x)",
                   static_cast<double>(reduction.iterations), reduction.body(), Team::kThread);
  PrintInductions(reduction.loops, reduction.iterations);
  for (size_t i = 0; i < carried.size(); ++i) {
    Line(absl::StrCat(Define(carried[i].current), " = ", partial(i), ";"));
  }
  PrintBlock(reduction.body(), Team::kThread);
  for (size_t i = 0; i < carried.size(); ++i) {
    Line(absl::StrCat(partial(i), " = ", Name(carried[i].next), ";"));
  }
  Close();
  for (size_t i = 0; i < carried.size(); ++i) {
    const absl::string_view name = RegisterType(type(i));
    const auto combine = [&](std::vector<std::string> operands) {
      return ScalarText(reduction.combine[i], type(i), type(i), operands);
    };
    out_.has_barriers = true;
    Line(absl::StrCat(partial(i), " = ", of_column ? "ColumnReduce(" : "BlockReduce(", partial(i),
                      ", [](", name, " a, ", name, " b) -> ", name, " { return ",
                      combine({"a", "b"}), "; }, space);"));
    Line(absl::StrCat(Define(outer[i].result), " = ", combine({Wide(outer[i].initial), partial(i)}),
                      ";"));
  }
  since_barrier_.Clear();  // BlockReduce has barriers.
}

void KernelPrinter::PrintColumns(const ParallelNest& nest, int threads) {
  constexpr int kColumns = 32;
  out_.threads = std::max(out_.threads, kColumns * threads);
  OpenBlockLoop((nest.iterations + kColumns - 1) / kColumns, nest.body(), "group");
  const absl::string_view type = FlatType(nest.iterations);
  // Past the end, threads go through the last column again, because others wait for them.
  Line(absl::StrCat("const ", type, " place = group * ", kColumns, " + threadIdx.x % ", kColumns,
                    ";"));
  Line(absl::StrCat("const ", type, " flat = place < ", nest.iterations,
                    " ? place : ", nest.iterations - 1, ";"));
  PrintInductions(nest.loops, nest.iterations);
  PrintBlock(nest.body(), Team::kColumn);
  Close();
}

}  // namespace acceld::kernels::cuda
