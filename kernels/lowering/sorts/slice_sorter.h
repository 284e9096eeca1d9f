#pragma once

#include <functional>
#include <vector>

#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {

// What lowerings of sorts share: elements of all operands at a position along the sorted dimension
// of a slice, copies of them in scratch, and the comparator. An error of the comparator's ops stays
// until Finish. One thread.
class SliceSorter {
 public:
  // A slice's coordinates: all but that of the sorted dimension.
  using SliceVars = std::vector<Var>;
  using Elements = std::vector<Element>;  // one of each operand

  SliceSorter(const Computation& computation, int64_t dimension);

 protected:
  DType DTypeOf(size_t i) const { return computation_.function.TensorOf(op_.operands[i]).dtype; }
  size_t num_operands() const { return op_.operands.size(); }

  Var Add(Var x, Var y) { return b_.Apply(ScalarOp::kAdd, {x, y}); }
  Var Subtract(Var x, Var y) { return b_.Apply(ScalarOp::kSubtract, {x, y}); }
  Var Min(Var x, Var y) { return b_.Apply(ScalarOp::kMin, {x, y}); }
  Var Lt(Var x, Var y) { return b_.Apply(ScalarOp::kLt, {x, y}); }

  // Room for so many elements of each operand.
  void AddScratch(int64_t elements);
  // `body` for each slice, in parallel; then also for each of `parts`.
  void ForEachSlice(const std::function<void(const SliceVars&)>& body);
  void ForEachPart(int64_t parts, const std::function<void(const SliceVars&, Var part)>& body);

  Elements Read(const SliceVars& slice, Var position);
  Elements Load(Var position);
  void Keep(Var position, const Elements& elements);
  // Into the results.
  void Write(const SliceVars& slice, Var position, const Elements& elements);
  // The comparator.
  Var Less(const Elements& x, const Elements& y);

  // Merges two runs of scratch or of a slice, [left, middle) and [middle, end) of what `load`
  // reads.
  struct Runs {
    Var left, middle, right, end;  // `right`: the first of the second run that is not taken yet
  };
  using LoadElements = std::function<Elements(Var position)>;
  using KeepElements = std::function<void(const Elements&)>;
  // Takes one element and hands it to `keep`; returns what `left` and `right` are then. One of the
  // runs must have some. The right one goes first only when it is strictly less: that is stable.
  std::vector<Var> MergeStep(const Runs& runs, const LoadElements& load, const KeepElements& keep);
  // Where the runs are after `taken` steps: the merge path's way through a diagonal, by bisection.
  // Whatever the comparator says, the two lie within their runs and are `taken` steps from the
  // start. `right` is the second run's start; no run has more than `longest_run` elements.
  Runs SkipSteps(const Runs& runs, Var taken, int64_t longest_run, const LoadElements& load);

  absl::StatusOr<Kernel> Finish();

  const Computation& computation_;
  const ir::Op& op_;
  const ir::Dims& shape_;
  const int64_t dimension_;
  const int64_t length_;
  OpKernel kernel_;
  KernelBuilder& b_;
  std::vector<uint32_t> scratch_;

 private:
  // Position `position` of a slice in a tensor that has `dims`.
  ElementIndex At(const SliceVars& slice, Var position, const ir::Dims& dims) const;

  StatusSink sink_;
};

// Sorts rows of scratch by merging, as one thread does.
class ScratchSorter : public SliceSorter {
 public:
  using SliceSorter::SliceSorter;

 protected:
  // Sorts elements [first, first + count) of scratch, where count is at most `capacity`, with the
  // help of as many from first + `apart` on. Gives what to add to positions to find them in order:
  // 0 or `apart`. Stable; O(n log n) comparisons.
  Var SortSerially(Var first, Var count, int64_t capacity, int64_t apart);

 private:
  void MergePass(Var first, Var count, int64_t capacity, Var width, Var from, Var to);
};

}  // namespace acceld::kernels
