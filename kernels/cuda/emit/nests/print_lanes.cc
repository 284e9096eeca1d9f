#include "kernels/cuda/emit/nests/print_lanes.h"

#include <cstdint>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/emit/nests/flat_loop.h"
#include "kernels/cuda/emit/scalar_text.h"
#include "kernels/cuda/emit/statements/print_block.h"

namespace acceld::kernels::cuda {
namespace {

// The variables for the elements of all lanes that a statement loads or stores.
std::string LanesOf(const LoadStatement& load) {
  return absl::StrCat("lanes_of_", VariableName(load.result));
}
std::string LanesOf(const Kernel& kernel, const StoreStatement& store) {
  return absl::StrCat("lanes_of_", kernel.Buffer(store.buffer).name);
}

// Loads the elements of all lanes, and declares variables for those to store.
void LoadLanes(PrintContext& context, const Block& body, const Lanes& lanes) {
  for (const Statement& statement : body) {
    if (!lanes.together.contains(&statement)) continue;
    if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
      context.out.Line("const auto ", LanesOf(*load), " = LoadLanes<", lanes.width, ">(",
                       context.expressions.ElementAddress(load->buffer, load->index), ");");
    } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
      context.out.Line("Lanes<", RegisterType(context.kernel.Buffer(store->buffer).dtype), ", ",
                       lanes.width, "> ", LanesOf(context.kernel, *store), ";");
    }
  }
}

// Computes one lane after the other, beginning with the iteration number `induction`.
void ComputeLanes(PrintContext& context, const Block& body, Var induction, const Lanes& lanes) {
  CodeWriter& out = context.out;
  out.Line("const auto first = ", VariableName(induction), ";");
  out.Line("#pragma unroll");
  out.Open("for (int lane = 0; lane < ", lanes.width, "; ++lane)");
  out.Line(context.expressions.Definition(induction), " = first + lane;");
  for (const Statement& statement : body) {
    if (!lanes.together.contains(&statement)) {
      PrintStatement(context, statement, ThreadGroup::kThread);
    } else if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
      out.Line(context.expressions.Definition(load->result), " = ", LanesOf(*load), ".at[lane];");
    } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
      out.Line(LanesOf(context.kernel, *store), ".at[lane] = ", VariableName(store->value), ";");
    }
  }
  out.Close();
}

void StoreLanes(PrintContext& context, const Block& body) {
  for (const Statement& statement : body) {
    const auto* store = std::get_if<StoreStatement>(&statement.value);
    if (store == nullptr) continue;
    context.out.Line("StoreLanes(", context.expressions.ElementAddress(store->buffer, store->index),
                     ", ", LanesOf(context.kernel, *store), ");");
  }
}

// Executes the last `count` iterations of a nest of one loop: the last thread block does, each by
// one thread.
void PrintRemainder(PrintContext& context, const ForStatement& loop, int64_t count) {
  context.out.Open("if (blockIdx.x == gridDim.x - 1 && threadIdx.x < ", count, ")");
  context.out.Line(context.expressions.Definition(loop.induction), " = ", loop.extent - count,
                   " + threadIdx.x;");
  PrintBlock(context, loop.body, ThreadGroup::kThread);
  context.out.Close();
}

}  // namespace

void PrintLanes(PrintContext& context, const ParallelNest& nest, const Lanes& lanes) {
  const ForStatement& last = *nest.loops.back();
  OpenGridLoop(context, nest.iterations / lanes.width, nest.body());
  DefineInductions(context, nest.loops, nest.iterations, lanes.width);
  // These are the indices for the first lane; inside the loop below each lane defines its own.
  PrintSlice(context, nest.body(), lanes.indices);
  LoadLanes(context, nest.body(), lanes);
  ComputeLanes(context, nest.body(), last.induction, lanes);
  StoreLanes(context, nest.body());
  context.out.Close();
  // Only a nest of one loop has a remainder.
  const int64_t remainder = last.extent % lanes.width;
  if (remainder != 0) PrintRemainder(context, last, remainder);
}

}  // namespace acceld::kernels::cuda
