#include "kernels/lowering/windows/window_scan.h"

#include "kernels/lowering/reducer.h"

namespace acceld::kernels {
namespace {

// Limits for the number of adjacent elements of the last dimension that are scanned together, if
// the scan is along another dimension.
constexpr int64_t kMaxBlock = 512;
constexpr int64_t kMinBlock = 8;

// The largest block size within the limits that divides `size`; 0 if there is none.
int64_t BlockOf(int64_t size) {
  if (size <= kMaxBlock) return size >= kMinBlock ? size : 0;
  for (int64_t block = kMaxBlock; block >= kMinBlock; --block) {
    if (size % block == 0) return block;
  }
  return 0;
}

class ScanLowering {
 public:
  ScanLowering(const Computation& computation, const WindowScan& scan)
      : op_(computation.op),
        scan_(scan),
        type_(computation.OutputType()),
        length_(type_.dims[scan.dimension]),
        kernel_(computation, computation.name),
        b_(kernel_.builder()) {}

  absl::StatusOr<Kernel> Build() {
    const int64_t last = type_.rank() - 1;
    const int64_t block =
        scan_.dimension == last || ir::IsComplex(type_.dtype) ? 0 : BlockOf(type_.dims[last]);
    if (block == 0) {
      BuildLines();
    } else {
      BuildBlocks(block);
    }
    ACCELD_RETURN_IF_ERROR(sink_.status());
    return kernel_.Finish();
  }

 private:
  Element Initial() {
    const absl::StatusOr<Element> initial =
        kernel_.emitter().EvaluateOperand(op_, 1, ElementIndex::Scalar());
    sink_.Note(initial.status());
    return initial.ok() ? *initial : ConstantElement(b_, ir::Literal::Zeros({type_.dtype, {}}), 0);
  }

  // The index along the scanned dimension at step `step` of the scan.
  Var PositionAt(Var step) {
    return scan_.reverse ? b_.Apply(ScalarOp::kSubtract, {b_.Index(length_ - 1), step}) : step;
  }

  // Emits one step of the scan: combines `before`, the accumulator, with the element at `dims`,
  // stores the outcome there, and returns it.
  Element Fold(const Element& before, const std::vector<Var>& dims) {
    const ElementIndex index = ElementIndex::FromDims(dims, type_.dims);
    const absl::StatusOr<Element> element = kernel_.emitter().EvaluateOperand(op_, 0, index);
    sink_.Note(element.status());
    if (!element.ok()) return before;
    const absl::StatusOr<std::vector<Element>> next = EmitScalarRegion(
        kernel_.emitter(), op_.regions[0], {before, *element}, /*keep_precision=*/true);
    sink_.Note(next.status());
    if (!next.ok()) return before;
    kernel_.Store(0, index, (*next)[0]);
    return (*next)[0];
  }

  // Scans lines one by one; the loop carries the accumulator.
  void BuildLines() {
    const std::vector<DType> dtypes = {type_.dtype};
    std::vector<int64_t> extents(type_.dims.begin(), type_.dims.end());
    extents.erase(extents.begin() + scan_.dimension);
    b_.ForEach(ForStatement::Kind::kParallel, extents, [&](absl::Span<const Var> vars) {
      b_.For(ForStatement::Kind::kScan, length_, Flatten({Initial()}, dtypes),
             [&](Var step, absl::Span<const Var> current) {
               std::vector<Var> dims(vars.begin(), vars.end());
               dims.insert(dims.begin() + scan_.dimension, PositionAt(step));
               return Flatten({Fold(Unflatten(current, dtypes)[0], dims)}, dtypes);
             });
    });
  }

  // Scans blocks of adjacent lines together, with their accumulators in scratch, so that memory is
  // read in order.
  void BuildBlocks(int64_t block) {
    const DType dtype = ComputeTypeOf(type_.dtype);
    const uint32_t folds =
        b_.AddScratch(BufferFor("folds", {dtype, {block}}, BufferParameter::Access::kReadWrite));
    std::vector<int64_t> extents(type_.dims.begin(), type_.dims.end());
    extents.back() /= block;
    extents.erase(extents.begin() + scan_.dimension);
    b_.ForEach(ForStatement::Kind::kParallel, extents, [&](absl::Span<const Var> vars) {
      const Element initial = Initial();
      b_.For(ForStatement::Kind::kSequential, block,
             [&](Var i) { StoreElement(b_, folds, dtype, i, initial); });
      b_.For(ForStatement::Kind::kScan, length_, [&](Var step) {
        const Var position = PositionAt(step);
        b_.For(ForStatement::Kind::kSequential, block, [&](Var i) {
          std::vector<Var> dims(vars.begin(), vars.end());
          dims.back() = b_.Apply(
              ScalarOp::kAdd, {b_.Apply(ScalarOp::kMultiply, {dims.back(), b_.Index(block)}), i});
          dims.insert(dims.begin() + scan_.dimension, position);
          StoreElement(b_, folds, dtype, i, Fold(LoadElement(b_, folds, dtype, i), dims));
        });
      });
    });
  }

  const ir::Op& op_;
  const WindowScan scan_;
  const ir::TensorType& type_;
  const int64_t length_;
  OpKernel kernel_;
  KernelBuilder& b_;
  StatusSink sink_;
};

}  // namespace

absl::StatusOr<Kernel> LowerWindowScan(const Computation& computation, const WindowScan& scan) {
  return ScanLowering(computation, scan).Build();
}

}  // namespace acceld::kernels
