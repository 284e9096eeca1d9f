// The part of KernelPrinter that prints nests of which each thread computes several adjacent
// elements.
#include <variant>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/emit/kernel_printer.h"
#include "kernels/cuda/emit/scalar_text.h"

namespace acceld::kernels::cuda {

void KernelPrinter::PrintLanes(const ParallelNest& nest, const Lanes& lanes) {
  const ForStatement& last = *nest.loops.back();
  const std::string induction = Name(last.induction);
  OpenGridLoop(nest.iterations / lanes.width, nest.body());
  PrintInductions(nest.loops, nest.iterations, lanes.width);
  // These are the indices for the first lane; inside the loop below each lane defines its own.
  PrintSlice(nest.body(), lanes.indices);
  const auto name_of = [&](const StoreStatement& store) {
    return absl::StrCat("lanes_of_", kernel_.Buffer(store.buffer).name);
  };
  for (const Statement& statement : nest.body()) {
    if (!lanes.together.contains(&statement)) continue;
    if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
      Line(absl::StrCat("const auto lanes_of_", Name(load->result), " = LoadLanes<", lanes.width,
                        ">(", Base(load->buffer), " + ", Name(load->index), ");"));
    } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
      Line(absl::StrCat("Lanes<", RegisterType(kernel_.Buffer(store->buffer).dtype), ", ",
                        lanes.width, "> ", name_of(*store), ";"));
    }
  }
  Line(absl::StrCat("const auto first = ", induction, ";"));
  Line("#pragma unroll");
  Open(absl::StrCat("for (int lane = 0; lane < ", lanes.width, "; ++lane)"));
  Line(absl::StrCat(Define(last.induction), " = first + lane;"));
  for (const Statement& statement : nest.body()) {
    if (!lanes.together.contains(&statement)) {
      std::visit([this](const auto& one) { Print(one, ThreadGroup::kThread); }, statement.value);
    } else if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
      Line(absl::StrCat(Define(load->result), " = lanes_of_", Name(load->result), ".at[lane];"));
    } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
      Line(absl::StrCat(name_of(*store), ".at[lane] = ", Name(store->value), ";"));
    }
  }
  Close();
  for (const Statement& statement : nest.body()) {
    const auto* store = std::get_if<StoreStatement>(&statement.value);
    if (store == nullptr) continue;
    Line(absl::StrCat("StoreLanes(", Base(store->buffer), " + ", Name(store->index), ", ",
                      name_of(*store), ");"));
  }
  Close();
  const int64_t rest = last.extent % lanes.width;
  if (rest == 0) return;
  // Only a nest of one loop has a remainder. The last block computes it, one element by each
  // thread.
  Open(absl::StrCat("if (blockIdx.x == gridDim.x - 1 && threadIdx.x < ", rest, ")"));
  Line(absl::StrCat(Define(last.induction), " = ", last.extent - rest, " + threadIdx.x;"));
  PrintBlock(nest.body(), ThreadGroup::kThread);
  Close();
}

void KernelPrinter::PrintSlice(const Block& block,
                               const absl::flat_hash_set<const Statement*>& statements) {
  for (const Statement& statement : block) {
    if (!statements.contains(&statement)) continue;
    std::visit([this](const auto& one) { Print(one, ThreadGroup::kThread); }, statement.value);
  }
}

}  // namespace acceld::kernels::cuda
