#include "kernels/lowering/sorts/slice_sorter.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"

namespace acceld::kernels {

using Kind = ForStatement::Kind;

SliceSorter::SliceSorter(const Computation& computation, int64_t dimension)
    : computation_(computation),
      op_(computation.op),
      shape_(computation.function.TensorOf(op_.operands[0]).dims),
      dimension_(dimension),
      length_(shape_[dimension]),
      kernel_(computation, computation.name),
      b_(kernel_.builder()) {}

void SliceSorter::AddScratch(int64_t elements) {
  for (size_t i = 0; i < num_operands(); ++i) {
    const ir::TensorType row{DTypeOf(i), {elements}};
    BufferParameter scratch =
        BufferFor(absl::StrCat("runs", i), row, BufferParameter::Access::kReadWrite);
    scratch_.push_back(b_.AddScratch(std::move(scratch)));
  }
}

void SliceSorter::ForEachSlice(const std::function<void(const SliceVars&)>& body) {
  std::vector<int64_t> extents(shape_.begin(), shape_.end());
  extents.erase(extents.begin() + dimension_);
  b_.ForEach(Kind::kParallel, extents,
             [&](absl::Span<const Var> vars) { body(SliceVars(vars.begin(), vars.end())); });
}

void SliceSorter::ForEachPart(int64_t parts,
                              const std::function<void(const SliceVars&, Var part)>& body) {
  std::vector<int64_t> extents(shape_.begin(), shape_.end());
  extents.erase(extents.begin() + dimension_);
  extents.push_back(parts);
  if (std::all_of(extents.begin(), extents.end(), [](int64_t extent) { return extent == 1; })) {
    b_.Once([&] { body(SliceVars(extents.size() - 1, b_.Index(0)), b_.Index(0)); });
    return;
  }
  b_.ForEach(Kind::kParallel, extents, [&](absl::Span<const Var> vars) {
    body(SliceVars(vars.begin(), vars.end() - 1), vars.back());
  });
}

ElementIndex SliceSorter::At(const SliceVars& slice, Var position, const ir::Dims& dims) const {
  std::vector<Var> vars = slice;
  vars.insert(vars.begin() + dimension_, position);
  return ElementIndex::FromDims(vars, dims);
}

SliceSorter::Elements SliceSorter::Read(const SliceVars& slice, Var position) {
  Elements elements;
  for (size_t k = 0; k < num_operands(); ++k) {
    const absl::StatusOr<Element> element =
        kernel_.emitter().EvaluateOperand(op_, static_cast<int>(k), At(slice, position, shape_));
    sink_.Note(element.status());
    elements.push_back(element.ok() ? *element
                                    : ConstantElement(b_, ir::Literal::Zeros({DTypeOf(k), {}}), 0));
  }
  return elements;
}

SliceSorter::Elements SliceSorter::Load(Var position) {
  Elements elements;
  for (size_t k = 0; k < num_operands(); ++k) {
    elements.push_back(LoadElement(b_, scratch_[k], DTypeOf(k), position));
  }
  return elements;
}

void SliceSorter::Keep(Var position, const Elements& elements) {
  for (size_t k = 0; k < num_operands(); ++k) {
    StoreElement(b_, scratch_[k], DTypeOf(k), position, elements[k]);
  }
}

void SliceSorter::Write(const SliceVars& slice, Var position, const Elements& elements) {
  const ElementIndex index = At(slice, position, computation_.OutputType().dims);
  for (size_t k = 0; k < num_operands(); ++k) kernel_.Store(k, index, elements[k]);
}

Var SliceSorter::Less(const Elements& x, const Elements& y) {
  Elements arguments;
  for (size_t k = 0; k < num_operands(); ++k) {
    arguments.push_back(x[k]);
    arguments.push_back(y[k]);
  }
  const absl::StatusOr<Elements> result =
      EmitScalarRegion(kernel_.emitter(), op_.regions[0], arguments, /*keep_precision=*/false);
  sink_.Note(result.status());
  return result.ok() ? (*result)[0].re : b_.ConstantInt(DType::kI1, 0);
}

std::vector<Var> SliceSorter::MergeStep(const Runs& runs, const LoadElements& load,
                                        const KeepElements& keep) {
  const Var left_open = Lt(runs.left, runs.middle);
  const Var right_open = Lt(runs.right, runs.end);
  const Var both = b_.Apply(ScalarOp::kAnd, {left_open, right_open});
  const std::vector<Var> right_first = b_.If(
      both, [&] { return std::vector<Var>{Less(load(runs.right), load(runs.left))}; },
      [&] { return std::vector<Var>{right_open}; });
  keep(load(b_.Select(right_first[0], runs.right, runs.left)));
  const Var one = b_.Index(1), zero = b_.Index(0);
  return {Add(runs.left, b_.Select(right_first[0], zero, one)),
          Add(runs.right, b_.Select(right_first[0], one, zero))};
}

SliceSorter::Runs SliceSorter::SkipSteps(const Runs& runs, Var taken, int64_t longest_run,
                                         const LoadElements& load) {
  // Bisects the number of the `taken` elements that come from the left run, in [low, high].
  const Var zero = b_.Index(0), one = b_.Index(1);
  const Var left_size = Subtract(runs.middle, runs.left),
            right_size = Subtract(runs.end, runs.right);
  const Var least = b_.Apply(ScalarOp::kMax, {zero, Subtract(taken, right_size)});
  const std::vector<Var> found = b_.For(
      Kind::kSequential, std::bit_width(static_cast<uint64_t>(longest_run)),
      {least, Min(taken, left_size)}, [&](Var, absl::Span<const Var> range) {
        const Var low = range[0], high = range[1];
        return b_.If(
            Lt(low, high),
            [&] {
              const Var middle = b_.Apply(ScalarOp::kShiftRightLogical, {Add(low, high), one});
              const Var of_right = Subtract(Subtract(taken, one), middle);
              const Var right_first =
                  Less(load(Add(runs.right, of_right)), load(Add(runs.left, middle)));
              return std::vector<Var>{b_.Select(right_first, low, Add(middle, one)),
                                      b_.Select(right_first, middle, high)};
            },
            [&] { return std::vector<Var>{low, high}; });
      });
  return {Add(runs.left, found[0]), runs.middle, Add(runs.right, Subtract(taken, found[0])),
          runs.end};
}

absl::StatusOr<Kernel> SliceSorter::Finish() {
  ACCELD_RETURN_IF_ERROR(sink_.status());
  return kernel_.Finish();
}

Var ScratchSorter::SortSerially(Var first, Var count, int64_t capacity, int64_t buffer_distance) {
  const int passes = capacity > 1 ? std::bit_width(static_cast<uint64_t>(capacity - 1)) : 0;
  // The loop carries the width of the sorted runs and the offset of the buffer that they are in.
  const std::vector<Var> end =
      b_.For(Kind::kSequential, passes, {b_.Index(1), b_.Index(0)},
             [&](Var, absl::Span<const Var> carried) {
               const Var to = Subtract(b_.Index(buffer_distance), carried[1]);
               MergePass(first, count, capacity, carried[0], carried[1], to);
               return std::vector<Var>{Add(carried[0], carried[0]), to};
             });
  return end[1];
}

// Writes position i of the merged runs for each i in order. The loop carries the end of the pair of
// runs that is being merged and the next unread positions of its left and its right run.
void ScratchSorter::MergePass(Var first, Var count, int64_t capacity, Var width, Var from, Var to) {
  const Var zero = b_.Index(0);
  const Var source = Add(first, from), target = Add(first, to);
  const auto load = [&](Var position) { return Load(Add(source, position)); };
  const auto step = [&](Var i, absl::Span<const Var> carried) {
    const Var new_pair = b_.Apply(ScalarOp::kGe, {i, carried[0]});
    const Var end = b_.Select(new_pair, Min(Add(i, Add(width, width)), count), carried[0]);
    const Var left = b_.Select(new_pair, i, carried[1]);
    const Var right = b_.Select(new_pair, Min(Add(i, width), count), carried[2]);
    // The left run ends where the right run began: at `right` minus the number of elements taken
    // from the right run, which is the number written so far minus the number taken from the left.
    const Var middle = Subtract(right, Subtract(i, left));
    std::vector<Var> next =
        MergeStep({left, middle, right, end}, load,
                  [&](const Elements& elements) { Keep(Add(target, i), elements); });
    next.insert(next.begin(), end);
    return next;
  };
  const bool is_full = b_.ConstantBits(count) == static_cast<uint64_t>(capacity);
  b_.For(Kind::kSequential, capacity, {zero, zero, zero},
         [&](Var i, absl::Span<const Var> carried) {
           if (is_full) return step(i, carried);
           return b_.If(
               Lt(i, count), [&] { return step(i, carried); },
               [&] { return std::vector<Var>(carried.begin(), carried.end()); });
         });
}

}  // namespace acceld::kernels
