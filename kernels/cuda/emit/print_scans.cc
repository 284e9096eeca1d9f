// The part of KernelPrinter that prints scans which a thread block executes together, or one thread
// several iterations at a time.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "kernels/cuda/emit/analysis/loop_free_cost.h"
#include "kernels/cuda/emit/kernel_printer.h"
#include "kernels/cuda/emit/scalar_text.h"

namespace acceld::kernels::cuda {
namespace {

// Iterations that a thread executes at a time, so that it waits for several loads together.
constexpr int kItemsInBlock = 4, kItemsAlone = 8;
// The most work (LoopFreeCostOf) in the items that a thread has at a time. With more, registers do
// not suffice, and the scan is not limited by memory.
constexpr int64_t kMaxWork = 512;

int ItemsFor(const Block& body, int items) {
  const absl::optional<int64_t> work = LoopFreeCostOf(body);
  while (items > 1 && (!work.has_value() || *work * items > kMaxWork)) items /= 2;
  return items;
}

}  // namespace

void KernelPrinter::PrintScan(const SharedScan& scan, ThreadGroup group) {
  const ForStatement& loop = *scan.loop;
  const bool shared = group == ThreadGroup::kBlock;
  const int items = ItemsFor(loop.body, shared ? kItemsInBlock : kItemsAlone);
  if (!shared && (items == 1 || loop.extent < items)) return PrintLoop(loop, group);
  const absl::string_view flat_type = FlatType(loop.extent);
  const auto type = [&](size_t i) { return RegisterType(kernel_.TypeOf(loop.carried[i].result)); };
  const auto name = [&](absl::string_view what, size_t i) {
    return absl::StrCat(what, Name(loop.carried[i].result));
  };
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    const CarriedValue& carried = loop.carried[i];
    Line(absl::StrCat(type(i), " ", name("carry", i), " = ", Wide(carried.initial), ";"));
    if (scan.combinations[i].is_sum) {
      Line(absl::StrCat(type(i), " ", name("lost", i), " = 0;"));
      continue;
    }
    Open(absl::StrCat("const auto ", name("combine", i), " = [](", type(i), " ",
                      Name(carried.current), ", ", type(i), " ", Name(scan.combinations[i].element),
                      ") -> ", type(i)));
    PrintSlice(loop.body, scan.combinations[i].statements);
    Line(absl::StrCat("return ", Wide(carried.next), ";"));
    --depth_;
    Line("};");
  }
  // Prints a loop over a thread's items, with `body` for each item that is an iteration of the
  // scan.
  const auto for_items = [&](const auto& body) {
    Line("#pragma unroll");
    Open(absl::StrCat("for (u32 k = 0; k < ", items, "; ++k)"));
    Line(absl::StrCat("const ", flat_type, " at = first + k", shared ? " * 32" : "", ";"));
    const bool is_whole = !shared && loop.extent % items == 0;
    if (!is_whole) Open(absl::StrCat("if (at < ", loop.extent, ")"));
    Line(absl::StrCat(Define(loop.induction), " = at;"));
    body();
    if (!is_whole) Close();
    Close();
  };

  if (shared) {
    shared_values_ = std::max(shared_values_, 32);
    out_.has_barriers = true;
    Open(absl::StrCat("for (", flat_type, " tile = 0; tile < ", loop.extent,
                      "; tile += blockDim.x * ", items, ")"));
    Line(absl::StrCat("const ", flat_type, " first = tile + threadIdx.x / 32 * ", 32 * items,
                      " + threadIdx.x % 32;"));
  } else {
    Open(absl::StrCat("for (", flat_type, " first = 0; first < ", loop.extent, "; first += ", items,
                      ")"));
  }
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    Line(absl::StrCat(type(i), " ", name("items", i), "[", items, "] = {};"));
  }
  for_items([&] {
    PrintSlice(loop.body, scan.elements);
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      Line(absl::StrCat(name("items", i), "[k] = ", Wide(scan.combinations[i].element), ";"));
    }
  });
  for (size_t i = 0; shared && i < loop.carried.size(); ++i) {
    const bool is_sum = scan.combinations[i].is_sum;
    Line(absl::StrCat(is_sum ? "BlockSums(" : "BlockScan(", name("items", i), ", ",
                      name("carry", i), ", ", name(is_sum ? "lost" : "combine", i), ", space);"));
  }
  for_items([&] {
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      const std::string item = absl::StrCat(name("items", i), "[k]");
      const std::string carry = name("carry", i);
      std::string next = item;
      if (!shared && scan.combinations[i].is_sum) {
        Line(absl::StrCat("AddCompensated(", carry, ", ", name("lost", i), ", ", item, ");"));
        next = absl::StrCat("RoundedSum(", carry, ", ", name("lost", i), ")");
      } else if (!shared) {
        Line(absl::StrCat(carry, " = ", name("combine", i), "(", carry, ", ", item, ");"));
        next = carry;
      }
      Line(absl::StrCat(Define(loop.carried[i].next), " = ", next, ";"));
    }
    PrintSlice(loop.body, scan.outputs);
  });
  Close();
}

}  // namespace acceld::kernels::cuda
