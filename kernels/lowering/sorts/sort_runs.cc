// Lowers the two ops into which large sorts are split: sort_runs sorts short runs, and merge_runs
// merges pairs of runs into runs of twice the length.
#include <algorithm>
#include <bit>

#include "common/ceil_divide.h"
#include "kernels/lowering/sorts/slice_sorter.h"

namespace acceld::kernels {
namespace {

using Kind = ForStatement::Kind;

// A worker writes a piece of merged runs, all of it, whatever the comparator says: it begins where
// the merge path crosses the piece's diagonal, and takes what comes next.
class PieceMerger : public ScratchSorter {
 public:
  using ScratchSorter::ScratchSorter;

 protected:
  // Emits the merge of positions [begin, begin + piece) of a row of `size` elements, in which runs
  // of `width` elements are sorted. Passes each merged element to `keep` with its position.
  void MergePiece(Var begin, int64_t piece, Var width, int64_t longest_run, Var size,
                  const LoadElements& load, const std::function<void(Var, const Elements&)>& keep) {
    const Var double_width = Add(width, width);
    const Var pair = b_.Apply(ScalarOp::kAnd, {begin, b_.Apply(ScalarOp::kNegate, {double_width})});
    const Var middle = Min(Add(pair, width), size), end = Min(Add(pair, double_width), size);
    const Runs runs =
        SkipSteps({pair, middle, middle, end}, Subtract(begin, pair), longest_run, load);
    b_.For(Kind::kSequential, piece, {runs.left, runs.right},
           [&](Var i, absl::Span<const Var> carried) {
             const Var position = Add(begin, i);
             return b_.If(
                 Lt(position, end),
                 [&] {
                   return MergeStep({carried[0], middle, carried[1], end}, load,
                                    [&](const Elements& elements) { keep(position, elements); });
                 },
                 [&] { return std::vector<Var>(carried.begin(), carried.end()); });
           });
  }
};

class RunSorter : PieceMerger {
 public:
  RunSorter(const Computation& computation, const ir::SortRunsAttributes& attributes)
      : PieceMerger(computation, 1),
        run_(attributes.run),
        piece_(attributes.piece),
        keep_(attributes.keep) {}

  absl::StatusOr<Kernel> Build() {
    AddScratch(2 * run_);
    ForEachPart(CeilDivide(length_, run_), [&](const SliceVars& slice, Var run) {
      const Var first = Times(run, run_);
      const Var size = AtMost(run_, length_, first);
      const Var found =
          piece_ == run_ ? SortAlone(slice, first, size) : SortTogether(slice, first, size);
      const Var kept = Min(size, b_.Index(keep_));
      b_.For(piece_ == run_ ? Kind::kSequential : Kind::kParallel, keep_, [&](Var i) {
        b_.If(Lt(i, kept), [&] { Write(slice, Add(Times(run, keep_), i), Load(Add(found, i))); });
      });
    });
    return Finish();
  }

 private:
  Var Times(Var x, int64_t factor) { return b_.Apply(ScalarOp::kMultiply, {x, b_.Index(factor)}); }

  // The number of elements in [first, first + wanted) that are below `all`, where `first` is a
  // multiple of `wanted`. A constant if `wanted` divides `all`.
  Var AtMost(int64_t wanted, int64_t all, Var first) {
    if (all % wanted == 0) return b_.Index(wanted);
    return Min(b_.Index(wanted), Subtract(b_.Index(all), first));
  }

  void Fill(const SliceVars& slice, Var from, Var to, Var count, int64_t capacity) {
    b_.For(Kind::kSequential, capacity, [&](Var i) {
      b_.If(Lt(i, count), [&] { Keep(Add(to, i), Read(slice, Add(from, i))); });
    });
  }

  // Emits the sequential sort of a whole run in scratch; returns the offset of the sorted run.
  Var SortAlone(const SliceVars& slice, Var first, Var size) {
    Fill(slice, first, b_.Index(0), size, run_);
    return SortSerially(b_.Index(0), size, run_, run_);
  }

  // Emits the parallel sort of a run in scratch: sorts its pieces in parallel, then merges in
  // passes, each of which doubles the length of the sorted runs and computes all pieces in
  // parallel. Returns the offset of the sorted run.
  Var SortTogether(const SliceVars& slice, Var first, Var size) {
    const int64_t pieces = run_ / piece_;
    const bool is_full = b_.ConstantBits(size) == static_cast<uint64_t>(run_);
    b_.For(Kind::kParallel, pieces, [&](Var piece) {
      const Var begin = Times(piece, piece_);
      const Var count = is_full ? b_.Index(piece_) : Min(b_.Index(piece_), Subtract(size, begin));
      Fill(slice, Add(first, begin), begin, count, piece_);
      SortSerially(begin, count, piece_, run_);
    });
    const int passes = std::countr_zero(static_cast<uint64_t>(piece_));
    const std::vector<Var> end = b_.For(
        Kind::kSequential, std::countr_zero(static_cast<uint64_t>(pieces)),
        {b_.Index(piece_), b_.Index(passes % 2 == 0 ? 0 : run_)},
        [&](Var, absl::Span<const Var> carried) {
          const Var width = carried[0], from = carried[1];
          const Var to = Subtract(b_.Index(run_), from);
          b_.For(Kind::kParallel, pieces, [&](Var piece) {
            MergePiece(
                Times(piece, piece_), piece_, width, run_ / 2, size,
                [&](Var position) { return Load(Add(from, position)); },
                [&](Var position, const Elements& elements) { Keep(Add(to, position), elements); });
          });
          return std::vector<Var>{Add(width, width), to};
        });
    return end[1];
  }

  const int64_t run_, piece_, keep_;
};

class RunMerger : PieceMerger {
 public:
  RunMerger(const Computation& computation, const ir::MergeRunsAttributes& attributes)
      : PieceMerger(computation, 1), run_(attributes.run), piece_(attributes.piece) {}

  absl::StatusOr<Kernel> Build() {
    ForEachPart(CeilDivide(length_, piece_), [&](const SliceVars& slice, Var piece) {
      MergePiece(
          b_.Apply(ScalarOp::kMultiply, {piece, b_.Index(piece_)}), piece_, b_.Index(run_), run_,
          b_.Index(length_), [&](Var position) { return Read(slice, position); },
          [&](Var position, const Elements& elements) { Write(slice, position, elements); });
    });
    return Finish();
  }

 private:
  const int64_t run_, piece_;
};

}  // namespace

absl::StatusOr<LoweredOp> LowerSortRuns(const Computation& computation) {
  LoweredOp lowered;
  const auto& attributes = computation.op.As<ir::SortRunsAttributes>();
  ACCELD_ASSIGN_OR_RETURN(Kernel kernel, RunSorter(computation, attributes).Build());
  lowered.kernels.push_back(std::move(kernel));
  return lowered;
}

absl::StatusOr<LoweredOp> LowerMergeRuns(const Computation& computation) {
  LoweredOp lowered;
  const auto& attributes = computation.op.As<ir::MergeRunsAttributes>();
  ACCELD_ASSIGN_OR_RETURN(Kernel kernel, RunMerger(computation, attributes).Build());
  lowered.kernels.push_back(std::move(kernel));
  return lowered;
}

}  // namespace acceld::kernels
