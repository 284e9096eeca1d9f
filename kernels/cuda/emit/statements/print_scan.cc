#include "kernels/cuda/emit/statements/print_scan.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "kernels/cuda/emit/analysis/loop_free_cost.h"
#include "kernels/cuda/emit/nests/flat_loop.h"
#include "kernels/cuda/emit/scalar_text.h"
#include "kernels/cuda/emit/statements/print_block.h"
#include "kernels/cuda/emit/statements/print_loop.h"

namespace acceld::kernels::cuda {
namespace {

// Iterations that a thread executes at a time, so that it waits for several loads together.
constexpr int kItemsInBlock = 4, kItemsAlone = 8;
// The most work (LoopFreeCostOf) in the items that a thread has at a time. With more, registers do
// not suffice, and the scan is not limited by memory.
constexpr int64_t kMaxWork = 512;
// The number of values in shared memory that the functions of device/block.cuh need for a scan.
constexpr int kValuesOfScan = 32;

int ItemsFor(const Block& body, int items) {
  const absl::optional<int64_t> work = LoopFreeCostOf(body);
  while (items > 1 && (!work.has_value() || *work * items > kMaxWork)) items /= 2;
  return items;
}

// Prints one scan, with `items` iterations of each thread at a time. For single use.
class ScanPrinter {
 public:
  ScanPrinter(PrintContext& context, const SharedScan& scan, bool by_block, int items)
      : context_(context),
        out_(context.out),
        scan_(scan),
        loop_(*scan.loop),
        by_block_(by_block),
        items_(items),
        index_type_(FlatIndexType(loop_.extent)) {}

  void Print() {
    for (size_t i = 0; i < loop_.carried.size(); ++i) DeclareCarried(i);
    by_block_ ? OpenLoopOfBlock() : OpenLoopOfThread();
    for (size_t i = 0; i < loop_.carried.size(); ++i) {
      out_.Line(Type(i), " ", Name("items", i), "[", items_, "] = {};");
    }
    OpenItems();
    PrintSlice(context_, loop_.body, scan_.elements);
    for (size_t i = 0; i < loop_.carried.size(); ++i) {
      out_.Line(Name("items", i), "[k] = ", InIrType(scan_.combinations[i].element), ";");
    }
    CloseItems();
    for (size_t i = 0; by_block_ && i < loop_.carried.size(); ++i) ScanItemsOfBlock(i);
    OpenItems();
    for (size_t i = 0; i < loop_.carried.size(); ++i) DefineNext(i);
    PrintSlice(context_, loop_.body, scan_.outputs);
    CloseItems();
    out_.Close();
  }

 private:
  // The type of carried value number i, and the names of variables that belong to it.
  absl::string_view Type(size_t i) const {
    return RegisterType(context_.kernel.TypeOf(loop_.carried[i].result));
  }
  std::string Name(absl::string_view prefix, size_t i) const {
    return absl::StrCat(prefix, VariableName(loop_.carried[i].result));
  }
  std::string InIrType(Var var) const { return context_.expressions.InIrType(var); }

  // Declares the variable that carries the value from items to items. In addition, defines a lambda
  // expression that combines two values, or declares the rounding errors of a compensated sum.
  void DeclareCarried(size_t i) {
    const CarriedValue& carried = loop_.carried[i];
    const SharedScan::Combination& combination = scan_.combinations[i];
    out_.Line(Type(i), " ", Name("carry", i), " = ", InIrType(carried.initial), ";");
    if (combination.is_sum) return out_.Line(Type(i), " ", Name("lost", i), " = 0;");
    out_.Open("const auto ", Name("combine", i), " = [](", Type(i), " ",
              VariableName(carried.current), ", ", Type(i), " ", VariableName(combination.element),
              ") -> ", Type(i));
    PrintSlice(context_, loop_.body, combination.statements);
    out_.Line("return ", InIrType(carried.next), ";");
    out_.Close("};");
  }

  // Begin the loop over groups of iterations, and define the `first` iteration of a thread. In a
  // block, adjacent threads have adjacent iterations.
  void OpenLoopOfBlock() {
    context_.shared_memory.RaiseReductionValues(kValuesOfScan);
    context_.barriers.NoteCall();
    out_.Open("for (", index_type_, " tile = 0; tile < ", loop_.extent, "; tile += blockDim.x * ",
              items_, ")");
    out_.Line("const ", index_type_, " first = tile + threadIdx.x / 32 * ", 32 * items_,
              " + threadIdx.x % 32;");
  }
  void OpenLoopOfThread() {
    out_.Open("for (", index_type_, " first = 0; first < ", loop_.extent, "; first += ", items_,
              ")");
  }

  // Begins a loop over a thread's items, with a condition that leaves out those past the end.
  void OpenItems() {
    out_.Line("#pragma unroll");
    out_.Open("for (u32 k = 0; k < ", items_, "; ++k)");
    out_.Line("const ", index_type_, " at = first + k", by_block_ ? " * 32" : "", ";");
    if (MayPassEnd()) out_.Open("if (at < ", loop_.extent, ")");
    out_.Line(context_.expressions.Definition(loop_.induction), " = at;");
  }
  void CloseItems() {
    if (MayPassEnd()) out_.Close();
    out_.Close();
  }
  bool MayPassEnd() const { return by_block_ || loop_.extent % items_ != 0; }

  // Replaces each item of the block by the combination of all up to it.
  void ScanItemsOfBlock(size_t i) {
    const bool is_sum = scan_.combinations[i].is_sum;
    out_.Line(is_sum ? "BlockSums(" : "BlockScan(", Name("items", i), ", ", Name("carry", i), ", ",
              Name(is_sum ? "lost" : "combine", i), ", space);");
  }

  // Defines the value after an item's iteration. The items of a block are these values already; one
  // thread combines its items one after the other.
  void DefineNext(size_t i) {
    const std::string item = absl::StrCat(Name("items", i), "[k]");
    const std::string carry = Name("carry", i);
    std::string next = item;
    if (!by_block_ && scan_.combinations[i].is_sum) {
      out_.Line("AddCompensated(", carry, ", ", Name("lost", i), ", ", item, ");");
      next = absl::StrCat("RoundedSum(", carry, ", ", Name("lost", i), ")");
    } else if (!by_block_) {
      out_.Line(carry, " = ", Name("combine", i), "(", carry, ", ", item, ");");
      next = carry;
    }
    out_.Line(context_.expressions.Definition(loop_.carried[i].next), " = ", next, ";");
  }

  PrintContext& context_;
  CodeWriter& out_;
  const SharedScan& scan_;
  const ForStatement& loop_;
  const bool by_block_;  // whether a thread block executes the scan, not one thread
  const int items_;
  const absl::string_view index_type_;  // of iteration numbers
};

}  // namespace

void PrintScan(PrintContext& context, const SharedScan& scan, ThreadGroup group) {
  const ForStatement& loop = *scan.loop;
  const bool by_block = group == ThreadGroup::kBlock;
  const int items = ItemsFor(loop.body, by_block ? kItemsInBlock : kItemsAlone);
  if (!by_block && (items == 1 || loop.extent < items)) return PrintLoop(context, loop, group);
  ScanPrinter(context, scan, by_block, items).Print();
}

}  // namespace acceld::kernels::cuda
