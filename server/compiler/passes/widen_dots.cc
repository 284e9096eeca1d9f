#include "server/compiler/passes/widen_dots.h"

#include <utility>

#include "server/compiler/passes/rewriter.h"
#include "server/compiler/plan/matmul.h"

namespace acceld::compiler {
namespace {

// Below this many multiplications a loop nest is as good.
constexpr int64_t kMinWork = 32 * 1024;

// Whether products of this type run as fast as those of f32, or faster: for narrow floats the
// target says it. They are asked for as canonicalize-dots would have them.
bool IsFast(const Rewriter& rewriter, const ir::Op& op, const hal::CodeGenerator& target) {
  const ir::DType dtype = rewriter.TensorOf(op.operands[0]).dtype;
  if (!ir::IsFloat(dtype) || ir::BitsOf(dtype) >= 32) return true;
  const absl::optional<kernels::MatmulStep> matmul =
      ContiguousMatmul(rewriter.TensorOf(op.operands[0]), rewriter.TensorOf(op.operands[1]),
                       rewriter.TensorOf(op.results[0]), op.As<ir::DotGeneralAttributes>());
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

ir::ValueId Widened(Rewriter& rewriter, ir::ValueId value, ir::Location location) {
  ir::TensorType type = rewriter.TensorOf(value);
  type.dtype = ir::DType::kF32;
  return rewriter.Emit(ir::OpKind::kConvert, {value}, ir::NoAttributes{}, std::move(type),
                       location);
}

absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op, const hal::CodeGenerator& target) {
  if (op.kind != ir::OpKind::kDotGeneral) return false;
  const ir::DType lhs = rewriter.TensorOf(op.operands[0]).dtype;
  const ir::DType rhs = rewriter.TensorOf(op.operands[1]).dtype;
  const ir::TensorType result = rewriter.TensorOf(op.results[0]);
  const bool accumulates_in_f32 = ir::IsFloat(result.dtype) && ir::BitsOf(result.dtype) <= 32;
  if (lhs != rhs || !accumulates_in_f32 || WorkOf(rewriter, op) <= kMinWork ||
      IsFast(rewriter, op, target)) {
    return false;
  }
  const ir::TensorType wide{ir::DType::kF32, result.dims};
  const ir::ValueId product = rewriter.Emit(ir::OpKind::kDotGeneral,
                                            {Widened(rewriter, op.operands[0], op.location),
                                             Widened(rewriter, op.operands[1], op.location)},
                                            op.attributes, wide, op.location);
  rewriter.Replace(op.results[0], result.dtype == ir::DType::kF32
                                      ? product
                                      : rewriter.Emit(ir::OpKind::kConvert, {product},
                                                      ir::NoAttributes{}, result, op.location));
  return true;
}

}  // namespace

absl::StatusOr<ir::Module> WidenDots(const ir::Module& module, const hal::CodeGenerator& target) {
  return RewriteEach(
      module, [&target](Rewriter& rewriter, ir::Op& op) { return Visit(rewriter, op, target); });
}

}  // namespace acceld::compiler
