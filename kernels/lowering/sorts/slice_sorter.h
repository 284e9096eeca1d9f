#pragma once

#include <functional>
#include <vector>

#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {

// Base class of the lowerings of sorts. A sort orders each slice (the elements along the sorted
// dimension at one index of the other dimensions) of all operands together. The class emits reads
// of the operands, copies of elements in scratch, the comparator, and merges. Errors are kept until
// Finish, which returns the first one. Not thread-safe.
class SliceSorter {
 public:
  // The index of a slice in all dimensions but the sorted one.
  using SliceVars = std::vector<Var>;
  // The elements of all operands at one position of a slice.
  using Elements = std::vector<Element>;

  SliceSorter(const Computation& computation, int64_t dimension);

 protected:
  DType DTypeOf(size_t i) const { return computation_.function.TensorOf(op_.operands[i]).dtype; }
  size_t num_operands() const { return op_.operands.size(); }

  Var Add(Var x, Var y) { return b_.Apply(ScalarOp::kAdd, {x, y}); }
  Var Subtract(Var x, Var y) { return b_.Apply(ScalarOp::kSubtract, {x, y}); }
  Var Min(Var x, Var y) { return b_.Apply(ScalarOp::kMin, {x, y}); }
  Var Lt(Var x, Var y) { return b_.Apply(ScalarOp::kLt, {x, y}); }

  // Adds a scratch array of `elements` elements for each operand.
  void AddScratch(int64_t elements);
  // Appends parallel loops over all slices. ForEachPart has an innermost parallel loop over `parts`
  // parts of each slice in addition.
  void ForEachSlice(const std::function<void(const SliceVars&)>& body);
  void ForEachPart(int64_t parts, const std::function<void(const SliceVars&, Var part)>& body);

  // Emits the elements of the operands at a position of a slice.
  Elements Read(const SliceVars& slice, Var position);
  // Load from and store to the scratch arrays.
  Elements Load(Var position);
  void Keep(Var position, const Elements& elements);
  // Stores to the results at a position of a slice.
  void Write(const SliceVars& slice, Var position, const Elements& elements);
  // Emits the comparator's result, an i1: whether `x` goes before `y`.
  Var Less(const Elements& x, const Elements& y);

  // Two sorted runs that are being merged. They are adjacent in scratch or in a slice: the first
  // one ends, and the second one begins, at `middle`. The elements that are not taken yet are
  // [left, middle) and [right, end).
  struct Runs {
    Var left, middle, right, end;
  };
  using LoadElements = std::function<Elements(Var position)>;
  using KeepElements = std::function<void(const Elements&)>;
  // Emits one step of a merge: takes the next element, which `load` reads, and passes it to `keep`.
  // Returns the new `left` and `right`. At least one run must not be exhausted. The merge is
  // stable: the second run's element is taken first only if it is strictly less.
  std::vector<Var> MergeStep(const Runs& runs, const LoadElements& load, const KeepElements& keep);
  // Emits the state of the merge after its first `taken` steps, found without executing them by
  // bisection along a diagonal of the merge path (Odeh et al., "Merge Path"). `runs` is the state
  // at the beginning of the merge; no run has more than `longest_run` elements. Even if the
  // comparator is no strict weak order, the new `left` and `right` lie within their runs and have
  // advanced by `taken` in all.
  Runs SkipSteps(const Runs& runs, Var taken, int64_t longest_run, const LoadElements& load);

  // Returns the kernel, or the first error.
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
  // The index of a position of a slice, in a tensor with dimensions `dims`.
  ElementIndex At(const SliceVars& slice, Var position, const ir::Dims& dims) const;

  StatusSink sink_;
};

// Adds a sequential merge sort of elements in scratch.
class ScratchSorter : public SliceSorter {
 public:
  using SliceSorter::SliceSorter;

 protected:
  // Emits a stable sort of elements [first, first + count) of the scratch arrays, with O(n log n)
  // comparisons; `count` is at most `capacity`. The elements [begin, begin + count), where begin is
  // first + buffer_distance, are the second buffer of the merge. Returns an offset, 0 or
  // `buffer_distance`: the sorted elements are at [first + offset, first + offset + count).
  Var SortSerially(Var first, Var count, int64_t capacity, int64_t buffer_distance);

 private:
  // Merges pairs of runs of `width` elements; reads at offset `from` and writes at offset `to`.
  void MergePass(Var first, Var count, int64_t capacity, Var width, Var from, Var to);
};

}  // namespace acceld::kernels
