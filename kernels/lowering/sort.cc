#include "kernels/lowering/reducer.h"
#include "kernels/lowering/selective_loop.h"
#include "kernels/lowering/slice_sorter.h"

namespace acceld::kernels {
namespace {

// Sorts each slice by itself: bottom up, all operands together.
class MergeSort : ScratchSorter {
 public:
  using ScratchSorter::ScratchSorter;

  absl::StatusOr<Kernel> Build() {
    AddScratch(2 * length_);
    ForEachSlice([&](const SliceVars& slice) {
      b_.For(ForStatement::Kind::kSequential, length_, [&](Var i) { Keep(i, Read(slice, i)); });
      const Var found = SortSerially(b_.Index(0), b_.Index(length_), length_, length_);
      b_.For(ForStatement::Kind::kSequential, length_,
             [&](Var i) { Write(slice, i, Load(Add(found, i))); });
    });
    return Finish();
  }
};

// The first few of each slice, in order, kept in scratch while the slice is read once: most
// elements are compared with the last of them and dropped.
class Selection : SliceSorter {
 public:
  Selection(const Computation& computation, const ir::PartialSortAttributes& attributes)
      : SliceSorter(computation, attributes.dimension), limit_(attributes.limit) {}

  absl::StatusOr<Kernel> Build() {
    AddScratch(limit_);
    ForEachSlice([&](const SliceVars& slice) { BuildSlice(slice); });
    return Finish();
  }

 private:
  void BuildSlice(const SliceVars& slice) {
    // While there is room every element stays. The few that are in no block go the same way, which
    // spares code for them.
    const int64_t first = limit_ + SelectiveLoop::Rest(length_ - limit_);
    b_.For(ForStatement::Kind::kSequential, first, [&](Var i) { Insert(Read(slice, i), i); });
    // Of those behind, only what goes before the last one; an equal one that came earlier stays.
    const auto changes = [&](Var i, SelectiveLoop::Values) {
      return Less(Read(slice, i), Load(b_.Index(limit_ - 1)));
    };
    const auto step = [&](Var i, SelectiveLoop::Values) {
      b_.If(changes(i, {}), [&] { Insert(Read(slice, i), b_.Index(limit_)); });
      return std::vector<Var>();
    };
    SelectiveLoop{changes, step}.Build(b_, b_.Index(first), length_ - first, {});
    b_.For(ForStatement::Kind::kSequential, limit_, [&](Var i) { Write(slice, i, Load(i)); });
  }

  // Puts an element in its place among the first `count`; those behind move up and the last one of
  // a full list falls off.
  void Insert(const std::vector<Element>& element, Var count) {
    std::vector<DType> dtypes;
    for (size_t k = 0; k < num_operands(); ++k) dtypes.push_back(DTypeOf(k));
    std::vector<Var> initial = Flatten(element, dtypes);
    initial.push_back(b_.ConstantInt(DType::kI1, 0));
    b_.For(ForStatement::Kind::kSequential, limit_, initial,
           [&](Var i, absl::Span<const Var> carried) {
             const std::vector<Element> held = Unflatten(carried.first(carried.size() - 1), dtypes);
             // Behind the last one is nothing yet.
             std::vector<Var> parts = b_.If(
                 b_.Apply(ScalarOp::kLt, {i, count}),
                 [&] {
                   const std::vector<Element> next = Load(i);
                   std::vector<Var> there = Flatten(next, dtypes);
                   there.push_back(Less(held, next));
                   return there;
                 },
                 [&] {
                   std::vector<Var> nothing(carried.begin(), carried.end() - 1);
                   nothing.push_back(b_.ConstantInt(DType::kI1, 1));
                   return nothing;
                 });
             const Var goes_first = parts.back();
             parts.pop_back();
             const std::vector<Element> here = Unflatten(parts, dtypes);
             const Var placed = b_.Apply(ScalarOp::kOr, {carried.back(), goes_first});
             std::vector<Element> stays = here;
             std::vector<Element> next = held;
             for (size_t k = 0; k < num_operands(); ++k) {
               const auto exchange = [&](Var Element::* part) {
                 stays[k].*part = b_.Select(placed, held[k].*part, here[k].*part);
                 next[k].*part = b_.Select(placed, here[k].*part, held[k].*part);
               };
               exchange(&Element::re);
               if (ir::IsComplex(dtypes[k])) exchange(&Element::im);
             }
             Keep(i, stays);
             std::vector<Var> vars = Flatten(next, dtypes);
             vars.push_back(placed);
             return vars;
           });
  }

  const int64_t limit_;
};

}  // namespace

// StableHLO specification, "sort"; always stable.
absl::StatusOr<LoweredOp> LowerSort(const Computation& computation) {
  LoweredOp lowered;
  if (computation.OutputType().rank() == 0) {
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t i = 0; i < computation.op.results.size(); ++i) pairs.push_back({i, i});
    lowered.kernels.push_back(CopyKernel(computation, computation.name, pairs));
    return lowered;
  }
  int64_t dimension = computation.op.As<ir::SortAttributes>().dimension;
  if (dimension < 0) dimension += computation.OutputType().rank();
  ACCELD_ASSIGN_OR_RETURN(Kernel kernel, MergeSort(computation, dimension).Build());
  lowered.kernels.push_back(std::move(kernel));
  return lowered;
}

absl::StatusOr<LoweredOp> LowerPartialSort(const Computation& computation) {
  LoweredOp lowered;
  const auto& attributes = computation.op.As<ir::PartialSortAttributes>();
  ACCELD_ASSIGN_OR_RETURN(Kernel kernel, Selection(computation, attributes).Build());
  lowered.kernels.push_back(std::move(kernel));
  return lowered;
}

}  // namespace acceld::kernels
