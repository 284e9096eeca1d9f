#include "kernels/cuda/emit/nests/flat_loop.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "kernels/cuda/emit/statements/print_poll.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int kThreads = 256;  // of a block if each thread computes elements by itself

}  // namespace

absl::string_view FlatIndexType(int64_t iterations) {
  return iterations < int64_t{1} << 30 ? "u32" : "i64";
}

void OpenGridLoop(PrintContext& context, int64_t iterations, const Block& body) {
  const absl::string_view type = FlatIndexType(iterations);
  context.launch_size.RaiseThreads(kThreads);
  context.launch_size.RaiseBlocks(CeilDivide(iterations, context.launch_size.threads()));
  context.out.Open("for (", type, " flat = blockIdx.x * ", type, "(blockDim.x) + threadIdx.x; ",
                   "flat < ", iterations, "; flat += gridDim.x * blockDim.x)");
  PrintPoll(context, "(flat / (gridDim.x * blockDim.x))", static_cast<double>(iterations), body,
            ThreadGroup::kThread);
}

void OpenBlockLoop(PrintContext& context, int64_t iterations, const Block& body,
                   absl::string_view name) {
  context.launch_size.RaiseBlocks(iterations);
  context.out.Open("for (", FlatIndexType(iterations), " ", name, " = blockIdx.x; ", name, " < ",
                   iterations, "; ", name, " += gridDim.x)");
  PrintPoll(context, absl::StrCat("(", name, " / gridDim.x)"), static_cast<double>(iterations),
            body, ThreadGroup::kBlock);
}

void DefineInductions(PrintContext& context, const std::vector<const ForStatement*>& loops,
                      int64_t iterations, int64_t width) {
  // The last induction variable varies fastest, so that adjacent threads access adjacent memory.
  int64_t inner = iterations / width;
  for (const ForStatement* loop : loops) {
    const bool is_last = loop == loops.back();
    const int64_t extent = is_last ? loop->extent / width : loop->extent;
    inner /= extent;
    std::string value = inner == 1 ? "flat" : absl::StrCat("flat / ", inner);
    if (loop != loops.front()) absl::StrAppend(&value, " % ", extent);
    if (is_last && width > 1) absl::StrAppend(&value, " * ", width);
    context.out.Line(context.expressions.Definition(loop->induction), " = ", value, ";");
  }
}

}  // namespace acceld::kernels::cuda
