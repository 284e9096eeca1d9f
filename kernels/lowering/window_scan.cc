#include "kernels/lowering/window_scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/lowering/reducer.h"

namespace acceld::kernels {
namespace {

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
  const ir::Op& op = computation.op;
  const ir::TensorType& type = computation.OutputType();
  const std::vector<DType> dtypes = {type.dtype};
  OpKernel kernel(computation, computation.name);
  KernelBuilder& b = kernel.builder();
  std::vector<int64_t> extents(type.dims.begin(), type.dims.end());
  const int64_t length = extents[scan.dimension];
  extents.erase(extents.begin() + scan.dimension);
  StatusSink sink;
  b.ForEach(ForStatement::Kind::kParallel, extents, [&](absl::Span<const Var> vars) {
    const absl::StatusOr<Element> initial =
        kernel.emitter().EvaluateOperand(op, 1, ElementIndex::Scalar());
    sink.Note(initial.status());
    if (!initial.ok()) return;
    b.For(ForStatement::Kind::kSequential, length, Flatten({*initial}, dtypes),
          [&](Var step, absl::Span<const Var> current) {
            const std::vector<Var> unchanged(current.begin(), current.end());
            std::vector<Var> dims(vars.begin(), vars.end());
            const Var position =
                scan.reverse ? b.Apply(ScalarOp::kSubtract, {b.Index(length - 1), step}) : step;
            dims.insert(dims.begin() + scan.dimension, position);
            const ElementIndex index = ElementIndex::FromDims(dims, type.dims);
            const absl::StatusOr<Element> element = kernel.emitter().EvaluateOperand(op, 0, index);
            sink.Note(element.status());
            if (!element.ok()) return unchanged;
            const absl::StatusOr<std::vector<Element>> next = EmitScalarRegion(
                kernel.emitter(), op.regions[0], {Unflatten(current, dtypes)[0], *element},
                /*keep_precision=*/true);
            sink.Note(next.status());
            if (!next.ok()) return unchanged;
            kernel.Store(0, index, (*next)[0]);
            return Flatten(*next, dtypes);
          });
  });
  ACCELD_RETURN_IF_ERROR(sink.status());
  return kernel.Finish();
}

}  // namespace acceld::kernels
