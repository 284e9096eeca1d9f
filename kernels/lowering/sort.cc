#include <bit>
#include <functional>

#include "absl/strings/str_cat.h"
#include "kernels/lowering/op_kernel.h"
#include "kernels/lowering/reducer.h"
#include "kernels/lowering/selective_loop.h"

namespace acceld::kernels {
namespace {

// What lowerings of sorts share: slices along the sorted dimension, copies of elements in scratch.
class SliceSorter {
 public:
  SliceSorter(const Computation& computation, int64_t dimension)
      : computation_(computation),
        op_(computation.op),
        shape_(computation.function.TensorOf(op_.operands[0]).dims),
        dimension_(dimension),
        length_(shape_[dimension]),
        kernel_(computation, computation.name),
        b_(kernel_.builder()) {}

 protected:
  DType DTypeOf(size_t i) const { return computation_.function.TensorOf(op_.operands[i]).dtype; }
  size_t num_operands() const { return op_.operands.size(); }

  Var Add(Var x, Var y) { return b_.Apply(ScalarOp::kAdd, {x, y}); }
  Var Min(Var x, Var y) { return b_.Apply(ScalarOp::kMin, {x, y}); }
  Var Lt(Var x, Var y) { return b_.Apply(ScalarOp::kLt, {x, y}); }

  void AddScratch(int64_t elements) {
    for (size_t i = 0; i < num_operands(); ++i) {
      const ir::TensorType row{DTypeOf(i), {elements}};
      BufferParameter scratch =
          BufferFor(absl::StrCat("runs", i), row, BufferParameter::Access::kReadWrite);
      scratch_.push_back(b_.AddScratch(std::move(scratch)));
    }
  }

  void ForEachSlice(const std::function<void(const std::vector<Var>&)>& body) {
    std::vector<int64_t> extents(shape_.begin(), shape_.end());
    extents.erase(extents.begin() + dimension_);
    b_.ForEach(ForStatement::Kind::kParallel, extents, [&](absl::Span<const Var> vars) {
      body(std::vector<Var>(vars.begin(), vars.end()));
    });
  }

  // Position `position` of a slice in a tensor that has `dims`.
  ElementIndex At(const std::vector<Var>& slice, Var position, const ir::Dims& dims) const {
    std::vector<Var> vars = slice;
    vars.insert(vars.begin() + dimension_, position);
    return ElementIndex::FromDims(vars, dims);
  }

  // The operands' elements at a position of a slice.
  std::vector<Element> Read(const std::vector<Var>& slice, Var position) {
    std::vector<Element> elements;
    for (size_t k = 0; k < num_operands(); ++k) {
      const absl::StatusOr<Element> element =
          kernel_.emitter().EvaluateOperand(op_, static_cast<int>(k), At(slice, position, shape_));
      sink_.Note(element.status());
      elements.push_back(
          element.ok() ? *element : ConstantElement(b_, ir::Literal::Zeros({DTypeOf(k), {}}), 0));
    }
    return elements;
  }
  std::vector<Element> Load(Var position) {
    std::vector<Element> elements;
    for (size_t k = 0; k < num_operands(); ++k) {
      elements.push_back(LoadElement(b_, scratch_[k], DTypeOf(k), position));
    }
    return elements;
  }
  void Keep(Var position, const std::vector<Element>& elements) {
    for (size_t k = 0; k < num_operands(); ++k) {
      StoreElement(b_, scratch_[k], DTypeOf(k), position, elements[k]);
    }
  }

  // The comparator.
  Var Less(const std::vector<Element>& x, const std::vector<Element>& y) {
    std::vector<Element> arguments;
    for (size_t k = 0; k < num_operands(); ++k) {
      arguments.push_back(x[k]);
      arguments.push_back(y[k]);
    }
    const absl::StatusOr<std::vector<Element>> result =
        EmitScalarRegion(kernel_.emitter(), op_.regions[0], arguments, /*keep_precision=*/false);
    sink_.Note(result.status());
    return result.ok() ? (*result)[0].re : b_.ConstantInt(DType::kI1, 0);
  }

  absl::StatusOr<Kernel> Finish() {
    ACCELD_RETURN_IF_ERROR(sink_.status());
    return kernel_.Finish();
  }

  const Computation& computation_;
  const ir::Op& op_;
  const ir::Dims& shape_;
  const int64_t dimension_;
  const int64_t length_;
  OpKernel kernel_;
  KernelBuilder& b_;
  std::vector<uint32_t> scratch_;

 private:
  StatusSink sink_;
};

// A bottom-up merge sort of each slice along the sorted dimension, all operands together; stable,
// O(n log n) comparisons. Scratch holds two copies of a slice; each pass merges sorted runs of
// `width` elements from one copy into runs of twice that in the other.
class MergeSort : SliceSorter {
 public:
  using SliceSorter::SliceSorter;

  absl::StatusOr<Kernel> Build() {
    AddScratch(2 * length_);
    ForEachSlice([&](const std::vector<Var>& slice) { BuildSlice(slice); });
    return Finish();
  }

 private:
  void BuildSlice(const std::vector<Var>& slice) {
    b_.For(ForStatement::Kind::kSequential, length_, [&](Var i) { Keep(i, Read(slice, i)); });
    const int passes = length_ > 1 ? std::bit_width(static_cast<uint64_t>(length_ - 1)) : 0;
    // Carried: the width of sorted runs, and where they stand in scratch (0 or length).
    const std::vector<Var> end =
        b_.For(ForStatement::Kind::kSequential, passes, {b_.Index(1), b_.Index(0)},
               [&](Var, absl::Span<const Var> carried) {
                 const Var to = b_.Apply(ScalarOp::kSubtract, {b_.Index(length_), carried[1]});
                 MergePass(carried[0], carried[1], to);
                 return std::vector<Var>{Add(carried[0], carried[0]), to};
               });
    b_.For(ForStatement::Kind::kSequential, length_, [&](Var i) {
      for (size_t k = 0; k < num_operands(); ++k) {
        const Element element = LoadElement(b_, scratch_[k], DTypeOf(k), Add(end[1], i));
        kernel_.Store(k, At(slice, i, shape_), element);
      }
    });
  }

  // Writes position i of the merged runs for each i in order. Carried: the end of the pair of runs
  // that is being merged, and the next unread position of its left and its right run.
  void MergePass(Var width, Var from, Var to) {
    const Var length = b_.Index(length_);
    const Var zero = b_.Index(0);
    b_.For(ForStatement::Kind::kSequential, length_, {zero, zero, zero},
           [&](Var i, absl::Span<const Var> carried) {
             const Var new_pair = b_.Apply(ScalarOp::kGe, {i, carried[0]});
             const Var double_width = Add(width, width);
             const Var end = b_.Select(new_pair, Min(Add(i, double_width), length), carried[0]);
             const Var left = b_.Select(new_pair, i, carried[1]);
             const Var right = b_.Select(new_pair, Min(Add(i, width), length), carried[2]);
             return MergeStep(i, from, to, {end, left, right});
           });
  }

  struct Runs {
    Var end, left, right;
  };

  // The left run ends where the right one began: at `right` minus what was taken from it.
  std::vector<Var> MergeStep(Var i, Var from, Var to, const Runs& runs) {
    // Positions written so far, minus those taken from the left run: both count from the same
    // start.
    const Var taken_right = b_.Apply(ScalarOp::kSubtract, {i, runs.left});
    const Var middle = b_.Apply(ScalarOp::kSubtract, {runs.right, taken_right});
    const Var left_open = Lt(runs.left, middle);
    const Var right_open = Lt(runs.right, runs.end);
    // The right element goes first only when it is strictly less: that keeps the sort stable.
    const Var both = b_.Apply(ScalarOp::kAnd, {left_open, right_open});
    const std::vector<Var> right_first = b_.If(
        both,
        [&] {
          return std::vector<Var>{Less(Load(Add(from, runs.right)), Load(Add(from, runs.left)))};
        },
        [&] { return std::vector<Var>{right_open}; });
    const Var source = Add(from, b_.Select(right_first[0], runs.right, runs.left));
    Keep(Add(to, i), Load(source));
    const Var step_right = b_.Select(right_first[0], b_.Index(1), b_.Index(0));
    const Var step_left = b_.Select(right_first[0], b_.Index(0), b_.Index(1));
    return {runs.end, Add(runs.left, step_left), Add(runs.right, step_right)};
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
    ForEachSlice([&](const std::vector<Var>& slice) { BuildSlice(slice); });
    return Finish();
  }

 private:
  void BuildSlice(const std::vector<Var>& slice) {
    // While there is room every element stays.
    b_.For(ForStatement::Kind::kSequential, limit_, [&](Var i) { Insert(Read(slice, i), i); });
    // Of those behind, only what goes before the last one; an equal one that came earlier stays.
    const auto changes = [&](Var i, SelectiveLoop::Values) {
      return Less(Read(slice, i), Load(b_.Index(limit_ - 1)));
    };
    const auto step = [&](Var i, SelectiveLoop::Values) {
      b_.If(changes(i, {}), [&] { Insert(Read(slice, i), b_.Index(limit_)); });
      return std::vector<Var>();
    };
    SelectiveLoop{changes, step}.Build(b_, b_.Index(limit_), length_ - limit_, {});
    b_.For(ForStatement::Kind::kSequential, limit_, [&](Var i) {
      for (size_t k = 0; k < num_operands(); ++k) {
        kernel_.Store(k, At(slice, i, computation_.OutputType().dims),
                      LoadElement(b_, scratch_[k], DTypeOf(k), i));
      }
    });
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
             const std::vector<Element> here = Load(i);
             const Var is_end = b_.Apply(ScalarOp::kGe, {i, count});
             const Var goes_first = b_.Apply(ScalarOp::kOr, {is_end, Less(held, here)});
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
