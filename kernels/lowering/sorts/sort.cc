#include "common/ceil_divide.h"
#include "kernels/lowering/reducer.h"
#include "kernels/lowering/selective_loop.h"
#include "kernels/lowering/sorts/slice_sorter.h"

namespace acceld::kernels {
namespace {

// Sorts each slice sequentially by a bottom-up merge sort.
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

// Selects the first few elements of each slice in sorted order. They are kept in a sorted list in
// scratch while the slice is read once; most elements are compared with the last one in the list
// and dropped.
class Selection : SliceSorter {
 public:
  Selection(const Computation& computation, const ir::PartialSortAttributes& attributes)
      : SliceSorter(computation, attributes.dimension),
        limit_(attributes.limit),
        kept_(Kept(limit_, length_)) {}

  absl::StatusOr<Kernel> Build() {
    AddScratch(kept_);
    ForEachSlice([&](const SliceVars& slice) { BuildSlice(slice); });
    return Finish();
  }

 private:
  // The length of the list: `limit`, rounded up to whole vectors if it is not very small and the
  // slice has so many elements.
  static int64_t Kept(int64_t limit, int64_t length) {
    constexpr int64_t kFew = 4, kVector = 16;
    const int64_t rounded = RoundUp(limit, kVector);
    return limit <= kFew || rounded > length ? limit : rounded;
  }

  void BuildSlice(const SliceVars& slice) {
    // Insertions read every position of the list, even those that are not filled yet.
    Elements zeros;
    for (size_t k = 0; k < num_operands(); ++k) {
      zeros.push_back(ConstantElement(b_, ir::Literal::Zeros({DTypeOf(k), {}}), 0));
    }
    b_.For(ForStatement::Kind::kSequential, kept_, [&](Var i) { Keep(i, zeros); });
    // When the list is full, an element is inserted only if it goes strictly before the last
    // result.
    const auto changes = [&](Var i, SelectiveLoop::Values) {
      return Less(Read(slice, i), Load(b_.Index(limit_ - 1)));
    };
    const auto step = [&](Var i, SelectiveLoop::Values) {
      // Until the list is full, every element is inserted.
      const Var has_room = Lt(i, b_.Index(kept_));
      b_.If(b_.Apply(ScalarOp::kOr, {has_room, changes(i, {})}),
            [&] { Insert(Read(slice, i), Min(i, b_.Index(kept_))); });
      return std::vector<Var>();
    };
    SelectiveLoop{changes, step, kept_}.Build(b_, length_, {});
    b_.For(ForStatement::Kind::kSequential, limit_, [&](Var i) { Write(slice, i, Load(i)); });
  }

  // Inserts an element at its position among the first `count` elements of the list. The elements
  // behind it move up by one, and a full list drops its last element. The loops have no dependences
  // that prevent vectorization.
  void Insert(const Elements& element, Var count) {
    // 32-bit positions: usually as wide as the elements, so that a vector has as many of both.
    const auto Number = [&](Var i) { return b_.Convert(DType::kI32, i); };
    const Var none = b_.ConstantInt(DType::kI32, kept_), size = Number(count);
    const Var position = b_.For(ForStatement::Kind::kReduction, kept_, {none},
                                [&](Var i, absl::Span<const Var> before) -> std::vector<Var> {
                                  // Positions from `count` on are not filled yet.
                                  const Var goes_before =
                                      b_.Select(Lt(Number(i), size), Less(element, Load(i)),
                                                b_.ConstantInt(DType::kI1, 1));
                                  return {Min(before[0], b_.Select(goes_before, Number(i), none))};
                                })[0];
    std::vector<DType> dtypes;
    for (size_t k = 0; k < num_operands(); ++k) dtypes.push_back(DTypeOf(k));
    b_.For(ForStatement::Kind::kSequential, kept_, Flatten(element, dtypes),
           [&](Var i, absl::Span<const Var> carried) {
             const Elements before = Unflatten(carried, dtypes), here = Load(i);
             const Var number = Number(i);
             const Var stays = Lt(number, position),
                       is_position = b_.Apply(ScalarOp::kEq, {number, position});
             Elements found = here;
             for (size_t k = 0; k < num_operands(); ++k) {
               const auto choose = [&](Var Element::* part) {
                 const Var moved = b_.Select(is_position, element[k].*part, before[k].*part);
                 found[k].*part = b_.Select(stays, here[k].*part, moved);
               };
               choose(&Element::re);
               if (ir::IsComplex(dtypes[k])) choose(&Element::im);
             }
             Keep(i, found);
             return Flatten(here, dtypes);
           });
  }

  const int64_t limit_, kept_;
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
