#include <bit>

#include "absl/strings/str_cat.h"
#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {
namespace {

// A bottom-up merge sort of each slice along the sorted dimension, all operands together; stable,
// O(n log n) comparisons. Scratch holds two copies of a slice; each pass merges sorted runs of
// `width` elements from one copy into runs of twice that in the other.
class SortLowering {
 public:
  explicit SortLowering(const Computation& computation)
      : computation_(computation),
        op_(computation.op),
        shape_(computation.OutputType().dims),
        kernel_(computation, computation.name),
        b_(kernel_.builder()) {
    dimension_ = op_.As<ir::SortAttributes>().dimension;
    if (dimension_ < 0) dimension_ += static_cast<int64_t>(shape_.size());
  }

  absl::StatusOr<Kernel> Build() {
    length_ = shape_[dimension_];
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      const ir::TensorType row{DTypeOf(i), {2 * length_}};
      BufferParameter scratch =
          BufferFor(absl::StrCat("runs", i), row, BufferParameter::Access::kReadWrite);
      scratch_.push_back(b_.AddScratch(std::move(scratch)));
    }
    std::vector<int64_t> extents(shape_.begin(), shape_.end());
    extents.erase(extents.begin() + dimension_);
    b_.ForEach(ForStatement::Kind::kParallel, extents, [&](absl::Span<const Var> vars) {
      BuildSlice(std::vector<Var>(vars.begin(), vars.end()));
    });
    ACCELD_RETURN_IF_ERROR(sink_.status());
    return kernel_.Finish();
  }

 private:
  DType DTypeOf(size_t i) const { return computation_.function.TensorOf(op_.operands[i]).dtype; }

  Var Add(Var x, Var y) { return b_.Apply(ScalarOp::kAdd, {x, y}); }
  Var Min(Var x, Var y) { return b_.Apply(ScalarOp::kMin, {x, y}); }
  Var Lt(Var x, Var y) { return b_.Apply(ScalarOp::kLt, {x, y}); }

  ElementIndex At(const std::vector<Var>& slice, Var position) const {
    std::vector<Var> dims = slice;
    dims.insert(dims.begin() + dimension_, position);
    return ElementIndex::FromDims(dims, shape_);
  }

  void BuildSlice(const std::vector<Var>& slice) {
    b_.For(ForStatement::Kind::kSequential, length_, [&](Var i) {
      for (size_t k = 0; k < scratch_.size(); ++k) {
        const absl::StatusOr<Element> element =
            kernel_.emitter().EvaluateOperand(op_, static_cast<int>(k), At(slice, i));
        sink_.Note(element.status());
        if (element.ok()) StoreElement(b_, scratch_[k], DTypeOf(k), i, *element);
      }
    });
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
      for (size_t k = 0; k < scratch_.size(); ++k) {
        const Element element = LoadElement(b_, scratch_[k], DTypeOf(k), Add(end[1], i));
        kernel_.Store(k, At(slice, i), element);
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
        both, [&] { return std::vector<Var>{Less(Add(from, runs.right), Add(from, runs.left))}; },
        [&] { return std::vector<Var>{right_open}; });
    const Var source = Add(from, b_.Select(right_first[0], runs.right, runs.left));
    for (size_t k = 0; k < scratch_.size(); ++k) {
      const Element element = LoadElement(b_, scratch_[k], DTypeOf(k), source);
      StoreElement(b_, scratch_[k], DTypeOf(k), Add(to, i), element);
    }
    const Var step_right = b_.Select(right_first[0], b_.Index(1), b_.Index(0));
    const Var step_left = b_.Select(right_first[0], b_.Index(0), b_.Index(1));
    return {runs.end, Add(runs.left, step_left), Add(runs.right, step_right)};
  }

  // The comparator on two positions of scratch.
  Var Less(Var x, Var y) {
    std::vector<Element> arguments;
    for (size_t k = 0; k < scratch_.size(); ++k) {
      arguments.push_back(LoadElement(b_, scratch_[k], DTypeOf(k), x));
      arguments.push_back(LoadElement(b_, scratch_[k], DTypeOf(k), y));
    }
    const absl::StatusOr<std::vector<Element>> result =
        EmitScalarRegion(kernel_.emitter(), op_.regions[0], arguments, /*keep_precision=*/false);
    sink_.Note(result.status());
    return result.ok() ? (*result)[0].re : b_.ConstantInt(DType::kI1, 0);
  }

  const Computation& computation_;
  const ir::Op& op_;
  const ir::Dims& shape_;
  OpKernel kernel_;
  KernelBuilder& b_;
  int64_t dimension_ = 0;
  int64_t length_ = 0;
  std::vector<uint32_t> scratch_;
  StatusSink sink_;
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
  ACCELD_ASSIGN_OR_RETURN(Kernel kernel, SortLowering(computation).Build());
  lowered.kernels.push_back(std::move(kernel));
  return lowered;
}

}  // namespace acceld::kernels
