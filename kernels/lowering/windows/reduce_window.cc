// Lowers reduce_window: each result element combines the initial values with the input elements
// under its window, in row-major order of the window. Source: StableHLO specification,
// "reduce_window"; but window positions on padding or between dilated elements are skipped (see
// ir::interpreter::EvalReduceWindow).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "kernels/lowering/op_kernel.h"
#include "kernels/lowering/reducer.h"
#include "kernels/lowering/windows/window_scan.h"

namespace acceld::kernels {
namespace {

// Windows of up to this many elements are combined in order, even if the order does not matter.
constexpr int64_t kMaxOrdered = 8;

int64_t At(const std::vector<int64_t>& values, size_t d) { return values.empty() ? 1 : values[d]; }

class WindowLowering {
 public:
  explicit WindowLowering(const Computation& computation)
      : computation_(computation),
        op_(computation.op),
        window_(op_.As<ir::WindowAttributes>()),
        num_inputs_(op_.results.size()),
        input_shape_(computation.function.TensorOf(op_.operands[0]).dims),
        kernel_(computation, computation.name),
        b_(kernel_.builder()) {
    for (ir::ValueId result : op_.results) {
      dtypes_.push_back(computation.function.TensorOf(result).dtype);
    }
    int64_t elements = 1;
    for (int64_t size : window_.window_dimensions) elements *= size;
    is_simple_ = ir::IsSimpleReducer(computation.function, op_.regions[0]);
    if (elements > kMaxOrdered && is_simple_) kind_ = ForStatement::Kind::kReduction;
  }

  absl::StatusOr<Kernel> Build() {
    const ir::Dims& shape = computation_.OutputType().dims;
    b_.ForEach(ForStatement::Kind::kParallel, shape, [&](absl::Span<const Var> vars) {
      position_.assign(vars.begin(), vars.end());
      offset_.assign(shape.size(), 0);
      const std::vector<Var> values = WindowLoops(0, Flatten(Initial(), dtypes_));
      const std::vector<Element> results = Unflatten(values, dtypes_);
      const ElementIndex index = ElementIndex::FromDims(position_, shape);
      for (size_t i = 0; i < num_inputs_; ++i) kernel_.Store(i, index, results[i]);
    });
    ACCELD_RETURN_IF_ERROR(sink_.status());
    return kernel_.Finish();
  }

 private:
  std::vector<Element> Initial() {
    std::vector<Element> initial;
    for (size_t i = 0; i < num_inputs_; ++i) {
      const absl::StatusOr<Element> element = kernel_.emitter().EvaluateOperand(
          op_, static_cast<int>(num_inputs_ + i), ElementIndex::Scalar());
      sink_.Note(element.status());
      const Var zero = b_.Constant(ComputeTypeOf(dtypes_[i]), 0);
      initial.push_back(element.ok() ? *element : Element{zero, zero});
    }
    return initial;
  }

  std::vector<Var> WindowLoops(size_t d, const std::vector<Var>& current) {
    if (d == position_.size()) return Fold(current);
    return b_.For(kind_, window_.window_dimensions[d], current,
                  [&](Var induction, absl::Span<const Var> values) {
                    offset_[d] = induction;
                    return WindowLoops(d + 1, std::vector<Var>(values.begin(), values.end()));
                  });
  }

  Var Apply(ScalarOp op, Var x, int64_t y) { return b_.Apply(op, {x, b_.Index(y)}); }

  // The substitute for an element at window positions that have none: the identity of a simple
  // reducer, else zero, in which case the outcome is discarded.
  Element Nothing(size_t i) {
    if (is_simple_) return IdentityElement(b_, CombiningOf(op_.regions[0], i), dtypes_[i]);
    return ConstantElement(b_, ir::Literal::Zeros({dtypes_[i], {}}), 0);
  }

  std::vector<Var> Fold(const std::vector<Var>& current) {
    Var inside = b_.ConstantInt(DType::kI1, 1);
    std::vector<Var> dims;
    for (size_t d = 0; d < position_.size(); ++d) {
      const int64_t low = window_.padding.pairs.empty() ? 0 : window_.padding.pairs[d].first;
      const int64_t dilation = At(window_.base_dilations, d);
      Var at = Apply(ScalarOp::kMultiply, position_[d], At(window_.window_strides, d));
      at = b_.Apply(ScalarOp::kAdd,
                    {at, Apply(ScalarOp::kMultiply, offset_[d], At(window_.window_dilations, d))});
      at = Apply(ScalarOp::kSubtract, at, low);
      const auto require = [&](Var condition) {
        inside = b_.Apply(ScalarOp::kAnd, {inside, condition});
      };
      require(Apply(ScalarOp::kGe, at, 0));
      require(Apply(ScalarOp::kLt, at, (input_shape_[d] - 1) * dilation + 1));
      if (input_shape_[d] == 0) require(b_.ConstantInt(DType::kI1, 0));
      if (dilation != 1) {
        require(Apply(ScalarOp::kEq, Apply(ScalarOp::kRemainder, at, dilation), 0));
      }
      dims.push_back(Apply(ScalarOp::kDivide, at, dilation));
    }
    const ElementIndex index = ElementIndex::FromDims(dims, input_shape_);
    std::vector<Element> arguments = Unflatten(current, dtypes_);
    for (size_t i = 0; i < num_inputs_; ++i) {
      const absl::StatusOr<Element> element = kernel_.emitter().If(
          inside, dtypes_[i],
          [&] { return kernel_.emitter().EvaluateOperand(op_, static_cast<int>(i), index); },
          [&]() -> absl::StatusOr<Element> { return Nothing(i); });
      sink_.Note(element.status());
      arguments.push_back(element.ok() ? *element : Nothing(i));
    }
    const absl::StatusOr<std::vector<Element>> next =
        EmitScalarRegion(kernel_.emitter(), op_.regions[0], arguments, /*keep_precision=*/true);
    sink_.Note(next.status());
    if (!next.ok()) return current;
    std::vector<Var> values = Flatten(*next, dtypes_);
    for (size_t i = 0; i < values.size() && !is_simple_; ++i) {
      values[i] = b_.Select(inside, values[i], current[i]);
    }
    return values;
  }

  const Computation& computation_;
  const ir::Op& op_;
  const ir::WindowAttributes& window_;
  const size_t num_inputs_;
  const ir::Dims& input_shape_;
  OpKernel kernel_;
  KernelBuilder& b_;
  std::vector<DType> dtypes_;
  bool is_simple_ = false;
  ForStatement::Kind kind_ = ForStatement::Kind::kSequential;  // of the loops over a window
  std::vector<Var> position_;                                  // the index of the result element
  std::vector<Var> offset_;                                    // the index in the window
  StatusSink sink_;
};

// The literal of the value if it is a constant, defined inside the computation or in the body of
// the function; else nullptr.
const ir::Literal* ConstantOf(const Computation& computation, ir::ValueId value) {
  const auto defines = [&](const ir::Op& op) {
    return op.kind == ir::OpKind::kConstant && op.results[0] == value;
  };
  for (const ir::Op* op : computation.ops) {
    if (defines(*op)) return &op->As<ir::ConstantAttributes>().value;
  }
  for (const ir::Op& op : computation.function.body.ops) {
    if (defines(op)) return &op.As<ir::ConstantAttributes>().value;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<LoweredOp> LowerReduceWindow(const Computation& computation) {
  LoweredOp lowered;
  const ir::Op& op = computation.op;
  const ir::Literal* initial =
      op.results.size() == 1 ? ConstantOf(computation, op.operands[1]) : nullptr;
  if (const auto scan = FindWindowScan(computation.function, op, initial)) {
    ACCELD_ASSIGN_OR_RETURN(Kernel kernel, LowerWindowScan(computation, *scan));
    lowered.kernels.push_back(std::move(kernel));
    return lowered;
  }
  ACCELD_ASSIGN_OR_RETURN(Kernel kernel, WindowLowering(computation).Build());
  lowered.kernels.push_back(std::move(kernel));
  return lowered;
}

}  // namespace acceld::kernels
