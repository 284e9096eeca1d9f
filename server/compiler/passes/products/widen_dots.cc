#include "server/compiler/passes/products/widen_dots.h"

#include <utility>

#include "common/ir/types/product_type.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/plan/steps/matmul.h"

namespace acceld::compiler {
namespace {

// With fewer multiplications a loop nest is as fast.
constexpr int64_t kMinWork = 32 * 1024;

// Whether the target multiplies the operands as they are at least as fast as operands of the type
// `accumulation`. For narrow floats asks the target, about the product as canonicalize-dots would
// make it.
bool IsFast(const Rewriter& rewriter, const ir::Op& op, ir::DType accumulation,
            const codegen::Target& target) {
  const ir::TensorType& lhs = rewriter.TensorOf(op.operands[0]);
  const ir::TensorType& rhs = rewriter.TensorOf(op.operands[1]);
  if (lhs.dtype != rhs.dtype || !ir::IsFloat(lhs.dtype)) return false;
  if (lhs.dtype == accumulation) {
    // The result is made by the library only where it is a float.
    return ir::IsFloat(rewriter.TensorOf(op.results[0]).dtype);
  }
  if (lhs.dtype == ir::DType::kF32) return false;
  const absl::optional<kernels::MatmulStep> matmul = ContiguousMatmul(
      lhs, rhs, rewriter.TensorOf(op.results[0]), op.As<ir::DotGeneralAttributes>());
  return matmul.has_value() && target.IsMatmulFast(*matmul);
}

int64_t WorkOf(const Rewriter& rewriter, const ir::Op& op) {
  int64_t work = rewriter.TensorOf(op.results[0]).num_elements();
  const ir::TensorType& lhs = rewriter.TensorOf(op.operands[0]);
  const auto& numbers = op.As<ir::DotGeneralAttributes>().dot_dimension_numbers;
  for (const int64_t dim : numbers.lhs_contracting_dimensions) {
    if (work > kMinWork) break;
    work *= lhs.dims[dim];
  }
  return work;
}

ir::ValueId Converted(Rewriter& rewriter, ir::ValueId value, ir::DType dtype,
                      ir::Location location) {
  ir::TensorType type = rewriter.TensorOf(value);
  if (type.dtype == dtype) return value;
  type.dtype = dtype;
  return rewriter.Emit(ir::OpKind::kConvert, {value}, ir::NoAttributes{}, std::move(type),
                       location);
}

absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op, const codegen::Target& target) {
  if (op.kind != ir::OpKind::kDotGeneral) return false;
  const ir::DType lhs = rewriter.TensorOf(op.operands[0]).dtype;
  const ir::DType rhs = rewriter.TensorOf(op.operands[1]).dtype;
  const ir::TensorType result = rewriter.TensorOf(op.results[0]);
  const ir::DType accumulation = ir::AccumulationTypeOf(lhs, rhs, result.dtype);
  if (!ir::IsFloat(accumulation) || WorkOf(rewriter, op) <= kMinWork ||
      IsFast(rewriter, op, accumulation, target)) {
    return false;
  }
  const ir::ValueId product =
      rewriter.Emit(ir::OpKind::kDotGeneral,
                    {Converted(rewriter, op.operands[0], accumulation, op.location),
                     Converted(rewriter, op.operands[1], accumulation, op.location)},
                    op.attributes, ir::TensorType{accumulation, result.dims}, op.location);
  const ir::ValueId rounded =
      Converted(rewriter, product, ir::ProductTypeOf(lhs, rhs, result.dtype), op.location);
  rewriter.Replace(op.results[0], Converted(rewriter, rounded, result.dtype, op.location));
  return true;
}

}  // namespace

absl::StatusOr<ir::Module> WidenDots(const ir::Module& module, const codegen::Target& target) {
  return RewriteEach(
      module, [&target](Rewriter& rewriter, ir::Op& op) { return Visit(rewriter, op, target); });
}

}  // namespace acceld::compiler
