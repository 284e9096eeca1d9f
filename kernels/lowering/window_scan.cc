#include "kernels/lowering/window_scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/lowering/reducer.h"

namespace acceld::kernels {
namespace {

// Elements of the last dimension that go through a scan along another one together.
constexpr int64_t kMaxBlock = 512;
constexpr int64_t kMinBlock = 8;

// The largest block that `size` is made of; 0 when there is no good one.
int64_t BlockOf(int64_t size) {
  if (size <= kMaxBlock) return size >= kMinBlock ? size : 0;
  for (int64_t block = kMaxBlock; block >= kMinBlock; --block) {
    if (size % block == 0) return block;
  }
  return 0;
}

bool AllOnes(const std::vector<int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](int64_t v) { return v == 1; });
}

// Inside the computation, or before the op in its function.
const ir::Op* DefinitionOf(const Computation& computation, ir::ValueId value) {
  const auto defines = [&](const ir::Op& op) {
    return op.results.size() == 1 && op.results[0] == value;
  };
  for (const ir::Op* op : computation.ops) {
    if (defines(*op)) return op;
  }
  for (const ir::Op& op : computation.function.body.ops) {
    if (defines(op)) return &op;
  }
  return nullptr;
}

bool IsNeutralInteger(ir::OpKind kind, DType dtype, int64_t value) {
  const int bits = ir::BitsOf(dtype);
  const bool is_signed = ir::IsSigned(dtype);
  const int64_t ones = bits == 64 ? -1 : (int64_t{1} << bits) - 1;  // of an unsigned type
  const int64_t lowest = is_signed ? int64_t{-1} << (bits - 1) : 0;
  const int64_t highest = is_signed ? -(lowest + 1) : ones;
  if (kind == ir::OpKind::kAdd || kind == ir::OpKind::kOr || kind == ir::OpKind::kXor) {
    return value == 0;
  }
  if (kind == ir::OpKind::kMultiply) return value == 1;
  if (kind == ir::OpKind::kMaximum) return value == lowest;
  if (kind == ir::OpKind::kMinimum) return value == highest;
  if (kind == ir::OpKind::kAnd) return value == (is_signed ? -1 : ones);
  return false;
}

bool IsNeutral(ir::OpKind kind, const ir::Literal& literal) {
  const DType dtype = literal.type().dtype;
  const char* data = literal.bytes().data();
  if (ir::IsComplex(dtype)) {
    return kind == ir::OpKind::kAdd && ir::ReadComplex(dtype, data, 0) == ir::Complex(0);
  }
  if (!ir::IsFloat(dtype)) return IsNeutralInteger(kind, dtype, ir::ReadInt(dtype, data, 0));
  const double value = ir::ReadFloat(dtype, data, 0);
  if (kind == ir::OpKind::kAdd) return value == 0;
  if (kind == ir::OpKind::kMultiply) return value == 1;
  if (kind == ir::OpKind::kMaximum) return value == -std::numeric_limits<double>::infinity();
  if (kind == ir::OpKind::kMinimum) return value == std::numeric_limits<double>::infinity();
  return false;
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

  // The position along the scanned dimension at a step.
  Var PositionAt(Var step) {
    return scan_.reverse ? b_.Apply(ScalarOp::kSubtract, {b_.Index(length_ - 1), step}) : step;
  }

  // What the elements up to `index` fold to, from what those before it do; stores it.
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

  // One line after the other, the fold in a register.
  void BuildLines() {
    const std::vector<DType> dtypes = {type_.dtype};
    std::vector<int64_t> extents(type_.dims.begin(), type_.dims.end());
    extents.erase(extents.begin() + scan_.dimension);
    b_.ForEach(ForStatement::Kind::kParallel, extents, [&](absl::Span<const Var> vars) {
      b_.For(ForStatement::Kind::kSequential, length_, Flatten({Initial()}, dtypes),
             [&](Var step, absl::Span<const Var> current) {
               std::vector<Var> dims(vars.begin(), vars.end());
               dims.insert(dims.begin() + scan_.dimension, PositionAt(step));
               return Flatten({Fold(Unflatten(current, dtypes)[0], dims)}, dtypes);
             });
    });
  }

  // Blocks of neighbours along the last dimension, their folds in scratch: memory is read in order.
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
      b_.For(ForStatement::Kind::kSequential, length_, [&](Var step) {
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

absl::optional<WindowScan> FindWindowScan(const Computation& computation) {
  const ir::Op& op = computation.op;
  const ir::Function& function = computation.function;
  if (op.kind != ir::OpKind::kReduceWindow || op.results.size() != 1) return absl::nullopt;
  const auto& window = op.As<ir::WindowAttributes>();
  const ir::Dims& shape = function.TensorOf(op.operands[0]).dims;
  if (shape != computation.OutputType().dims || !AllOnes(window.window_strides) ||
      !AllOnes(window.base_dilations) || !AllOnes(window.window_dilations) ||
      window.padding.pairs.size() != shape.size()) {
    return absl::nullopt;
  }
  absl::optional<WindowScan> scan;
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::pair<int64_t, int64_t>& padding = window.padding.pairs[d];
    const int64_t size = window.window_dimensions[d];
    if (size == 1 && padding == std::pair<int64_t, int64_t>(0, 0)) continue;
    const bool forward = padding == std::pair<int64_t, int64_t>(size - 1, 0);
    const bool reverse = padding == std::pair<int64_t, int64_t>(0, size - 1);
    if (size != shape[d] || scan.has_value() || (!forward && !reverse)) return absl::nullopt;
    scan = WindowScan{static_cast<int64_t>(d), reverse};
  }
  if (!scan.has_value() || !IsSimpleReducer(function, op.regions[0])) return absl::nullopt;
  const ir::Op* initial = DefinitionOf(computation, op.operands[1]);
  if (initial == nullptr || initial->kind != ir::OpKind::kConstant) return absl::nullopt;
  const ir::OpKind kind = op.regions[0].ops[0].kind;
  if (!IsNeutral(kind, initial->As<ir::ConstantAttributes>().value)) return absl::nullopt;
  return scan;
}

absl::StatusOr<Kernel> LowerWindowScan(const Computation& computation, const WindowScan& scan) {
  return ScanLowering(computation, scan).Build();
}

}  // namespace acceld::kernels
