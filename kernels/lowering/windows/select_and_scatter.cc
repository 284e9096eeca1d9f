// Lowers select_and_scatter to two kernels. The first one fills the result with the initial value.
// The second one selects, for each position of the window (one for each source element), an element
// of the operand, and combines the source element with the result at that element's index. Source:
// StableHLO specification, "select_and_scatter".
#include "absl/strings/str_cat.h"
#include "kernels/lowering/op_kernel.h"
#include "kernels/lowering/reducer.h"

namespace acceld::kernels {
namespace {

// With at least this many iterations in leading parallel dimensions, there is enough work for all
// threads, and the loops keep the order of the dimensions.
constexpr int64_t kMinLeadingPositions = 16;

class SelectAndScatterLowering {
 public:
  SelectAndScatterLowering(const Computation& computation, std::string name,
                           BufferParameter::Access access)
      : op_(computation.op),
        attributes_(op_.As<ir::SelectAndScatterAttributes>()),
        shape_(computation.function.TensorOf(op_.operands[0]).dims),
        source_shape_(computation.function.TensorOf(op_.operands[1]).dims),
        strides_(ir::RowMajorStrides(shape_)),
        dtype_(computation.OutputType().dtype),
        kernel_(computation, std::move(name), access),
        b_(kernel_.builder()) {}

  absl::StatusOr<Kernel> BuildFill() {
    b_.ForEach(ForStatement::Kind::kParallel, shape_, [&](absl::Span<const Var> vars) {
      const Element initial = Operand(2, ElementIndex::Scalar());
      kernel_.Store(0, ElementIndex::FromDims({vars.begin(), vars.end()}, shape_), initial);
    });
    ACCELD_RETURN_IF_ERROR(sink_.status());
    return kernel_.Finish();
  }

  // In a dimension whose window is not larger than its stride, different window positions touch
  // different results, so its loop is parallel. The loops of the other dimensions are sequential.
  // The loops are nested in the order of the dimensions, which is the order of memory, if the
  // leading parallel dimensions have enough iterations; else the parallel loops are outermost.
  absl::StatusOr<Kernel> BuildScatter() {
    std::vector<Var> position(shape_.size());
    PositionLoops(LoopOrder(), 0, position);
    ACCELD_RETURN_IF_ERROR(sink_.status());
    return kernel_.Finish();
  }

 private:
  int64_t Window(size_t d) const {
    return attributes_.window_dimensions.empty() ? 1 : attributes_.window_dimensions[d];
  }
  int64_t Stride(size_t d) const {
    return attributes_.window_strides.empty() ? 1 : attributes_.window_strides[d];
  }
  int64_t Low(size_t d) const {
    return attributes_.padding.pairs.empty() ? 0 : attributes_.padding.pairs[d].first;
  }
  bool IsParallel(size_t d) const { return Window(d) <= Stride(d); }

  std::vector<size_t> LoopOrder() const {
    std::vector<size_t> order;
    int64_t leading = 1;
    for (size_t d = 0; d < shape_.size() && IsParallel(d); ++d) leading *= source_shape_[d];
    if (leading >= kMinLeadingPositions) {
      for (size_t d = 0; d < shape_.size(); ++d) order.push_back(d);
      return order;
    }
    for (const bool parallel : {true, false}) {
      for (size_t d = 0; d < shape_.size(); ++d) {
        if (IsParallel(d) == parallel) order.push_back(d);
      }
    }
    return order;
  }

  void PositionLoops(const std::vector<size_t>& order, size_t level, std::vector<Var>& position) {
    if (level == order.size()) return ScatterFrom(position);
    const size_t d = order[level];
    b_.For(IsParallel(d) ? ForStatement::Kind::kParallel : ForStatement::Kind::kSequential,
           source_shape_[d], [&](Var at) {
             position[d] = at;
             PositionLoops(order, level + 1, position);
           });
  }

  Var Apply(ScalarOp op, Var x, int64_t y) { return b_.Apply(op, {x, b_.Index(y)}); }

  Element Zero() {
    const Var zero = b_.Constant(ComputeTypeOf(dtype_), 0);
    return {zero, zero};
  }

  Element Operand(int operand, const ElementIndex& index) {
    const absl::StatusOr<Element> element = kernel_.emitter().EvaluateOperand(op_, operand, index);
    sink_.Note(element.status());
    return element.ok() ? *element : Zero();
  }

  Element Region(size_t region, const Element& x, const Element& y) {
    const absl::StatusOr<std::vector<Element>> result =
        EmitScalarRegion(kernel_.emitter(), op_.regions[region], {x, y}, /*keep_precision=*/false);
    sink_.Note(result.status());
    return result.ok() ? (*result)[0]
                       : (region == 0 ? Element{b_.ConstantInt(DType::kI1, 0)} : Zero());
  }

  // Processes one window position. The loops over the window carry the value of the element
  // selected so far and its linear index, which is -1 at first.
  void ScatterFrom(const std::vector<Var>& position) {
    std::vector<Var> chosen = Flatten({Zero()}, {dtype_});
    chosen.push_back(b_.Index(-1));
    std::vector<Var> cell;
    chosen = WindowLoops(position, cell, chosen);
    const Var at = chosen.back();
    b_.If(Apply(ScalarOp::kGe, at, 0), [&] {
      const ElementIndex target = ElementIndex::FromLinear(at, shape_);
      // The first argument of the scatter region is the source element.
      const Element source = Operand(1, ElementIndex::FromDims(position, source_shape_));
      kernel_.Store(0, target, Region(1, source, kernel_.LoadResult(0, target)));
    });
  }

  std::vector<Var> WindowLoops(const std::vector<Var>& position, std::vector<Var>& cell,
                               const std::vector<Var>& current) {
    const size_t d = cell.size();
    if (d == shape_.size()) return Choose(cell, current);
    return b_.For(
        ForStatement::Kind::kSequential, Window(d), current,
        [&](Var k, absl::Span<const Var> values) {
          const Var from = Apply(ScalarOp::kMultiply, position[d], Stride(d));
          const Var at = Apply(ScalarOp::kSubtract, b_.Apply(ScalarOp::kAdd, {from, k}), Low(d));
          const Var inside = b_.Apply(
              ScalarOp::kAnd, {Apply(ScalarOp::kGe, at, 0), Apply(ScalarOp::kLt, at, shape_[d])});
          const std::vector<Var> before(values.begin(), values.end());
          return b_.If(
              inside,
              [&] {
                cell.push_back(at);
                std::vector<Var> next = WindowLoops(position, cell, before);
                cell.pop_back();
                return next;
              },
              [&] { return before; });
        });
  }

  std::vector<Var> Choose(const std::vector<Var>& cell, const std::vector<Var>& current) {
    const Element candidate = Operand(0, ElementIndex::FromDims(cell, shape_));
    const Element chosen =
        Unflatten(absl::MakeConstSpan(current.data(), current.size() - 1), {dtype_})[0];
    const Var is_first = Apply(ScalarOp::kLt, current.back(), 0);
    const Var keep = b_.Apply(
        ScalarOp::kAnd, {b_.Apply(ScalarOp::kNot, {is_first}), Region(0, chosen, candidate).re});
    std::vector<Var> next = Flatten({candidate}, {dtype_});
    next.push_back(b_.Linearize(cell, strides_));
    for (size_t i = 0; i < next.size(); ++i) next[i] = b_.Select(keep, current[i], next[i]);
    return next;
  }

  const ir::Op& op_;
  const ir::SelectAndScatterAttributes& attributes_;
  const ir::Dims& shape_;
  const ir::Dims& source_shape_;
  const ir::Dims strides_;
  const DType dtype_;
  OpKernel kernel_;
  KernelBuilder& b_;
  StatusSink sink_;
};

}  // namespace

absl::StatusOr<LoweredOp> LowerSelectAndScatter(const Computation& computation) {
  LoweredOp lowered;
  SelectAndScatterLowering fill(computation, absl::StrCat(computation.name, "_fill"),
                                BufferParameter::Access::kWrite);
  ACCELD_ASSIGN_OR_RETURN(Kernel filled, fill.BuildFill());
  lowered.kernels.push_back(std::move(filled));
  if (computation.function.TensorOf(computation.op.operands[1]).num_elements() == 0) return lowered;
  SelectAndScatterLowering scatter(computation, absl::StrCat(computation.name, "_scatter"),
                                   BufferParameter::Access::kReadWrite);
  ACCELD_ASSIGN_OR_RETURN(Kernel scattered, scatter.BuildScatter());
  lowered.kernels.push_back(std::move(scattered));
  return lowered;
}

}  // namespace acceld::kernels
