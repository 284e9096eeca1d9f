#include "server/compiler/passes/cleanup/simplify_algebra.h"

#include <cmath>

#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::DType;
using ir::OpKind;

// The element of a constant whose elements are all equal. `known` is false for other values. Does
// not own the data.
struct Uniform {
  bool known = false;
  DType dtype = DType::kF32;
  const void* data = nullptr;

  bool IsInt(int64_t value) const {
    return known && ir::IsInteger(dtype) && ir::ReadInt(dtype, data, 0) == value;
  }
  bool IsAllOnes() const {
    if (!known) return false;
    if (dtype == DType::kI1) return ir::ReadInt(dtype, data, 0) == 1;
    if (ir::IsSigned(dtype)) return ir::ReadInt(dtype, data, 0) == -1;
    const uint64_t mask = ~uint64_t{0} >> (64 - ir::BitsOf(dtype));
    return ir::IsUnsigned(dtype) && static_cast<uint64_t>(ir::ReadInt(dtype, data, 0)) == mask;
  }
  bool IsZeroBits() const {
    return known && (ir::IsInteger(dtype) || dtype == DType::kI1) &&
           ir::ReadInt(dtype, data, 0) == 0;
  }
  // Distinguishes +0 from -0.
  bool IsFloat(double value) const {
    if (!known || !ir::IsFloat(dtype)) return false;
    const double actual = ir::ReadFloat(dtype, data, 0);
    return actual == value && std::signbit(actual) == std::signbit(value);
  }
};

Uniform UniformOf(const Rewriter& rewriter, ir::ValueId id) {
  const ir::Literal* value = rewriter.ConstantOf(id);
  if (value == nullptr || (!value->is_splat() && value->type().num_elements() != 1)) return {};
  return {true, value->type().dtype, value->bytes().data()};
}

// Returns the number of the operand that always equals the op's result, or -1 if there is none.
int NeutralOperand(OpKind kind, const Uniform& lhs, const Uniform& rhs) {
  // x + (-0) is x for every x; x + (+0) is not, for x = -0.
  if (kind == OpKind::kAdd) {
    if (rhs.IsInt(0) || rhs.IsFloat(-0.0)) return 0;
    if (lhs.IsInt(0) || lhs.IsFloat(-0.0)) return 1;
  }
  if (kind == OpKind::kSubtract && (rhs.IsInt(0) || rhs.IsFloat(0.0))) return 0;
  if (kind == OpKind::kMultiply) {
    if (rhs.IsInt(1) || rhs.IsFloat(1.0)) return 0;
    if (lhs.IsInt(1) || lhs.IsFloat(1.0)) return 1;
    // Integer x * 0 is 0; for floats that does not hold (infinities, NaN, signs).
    if (rhs.IsZeroBits()) return 1;
    if (lhs.IsZeroBits()) return 0;
  }
  if (kind == OpKind::kDivide && (rhs.IsInt(1) || rhs.IsFloat(1.0))) return 0;
  if (kind == OpKind::kPower && (rhs.IsInt(1) || rhs.IsFloat(1.0))) return 0;
  if (kind == OpKind::kAnd) {
    if (rhs.IsAllOnes() || lhs.IsZeroBits()) return 0;
    if (lhs.IsAllOnes() || rhs.IsZeroBits()) return 1;
  }
  if (kind == OpKind::kOr) {
    if (rhs.IsZeroBits() || lhs.IsAllOnes()) return 0;
    if (lhs.IsZeroBits() || rhs.IsAllOnes()) return 1;
  }
  if (kind == OpKind::kXor) {
    if (rhs.IsZeroBits()) return 0;
    if (lhs.IsZeroBits()) return 1;
  }
  if ((kind == OpKind::kShiftLeft || kind == OpKind::kShiftRightLogical ||
       kind == OpKind::kShiftRightArithmetic) &&
      rhs.IsInt(0)) {
    return 0;
  }
  return -1;
}

bool IsInvolution(OpKind kind) { return kind == OpKind::kNegate || kind == OpKind::kNot; }

absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op) {
  if (ir::FamilyOf(op.kind) != ir::OpFamily::kElementwise) return false;
  const ir::ValueId result = op.results[0];
  if (op.operands.size() == 1 && IsInvolution(op.kind)) {
    const ir::Op* inner = rewriter.DefinitionOf(op.operands[0]);
    if (inner == nullptr || inner->kind != op.kind) return false;
    rewriter.Replace(result, inner->operands[0]);
    return true;
  }
  if (op.operands.size() == 2) {
    const bool same = op.operands[0] == op.operands[1];
    if (same && (op.kind == OpKind::kMaximum || op.kind == OpKind::kMinimum ||
                 op.kind == OpKind::kAnd || op.kind == OpKind::kOr)) {
      rewriter.Replace(result, op.operands[0]);
      return true;
    }
    const Uniform rhs = UniformOf(rewriter, op.operands[1]);
    // A correctly rounded square is the rounded product.
    if (op.kind == OpKind::kPower && rhs.IsFloat(2.0)) {
      op.kind = OpKind::kMultiply;
      op.operands[1] = op.operands[0];
      return false;
    }
    const int neutral = NeutralOperand(op.kind, UniformOf(rewriter, op.operands[0]), rhs);
    if (neutral < 0 || rewriter.TypeOf(op.operands[neutral]) != rewriter.TypeOf(result)) {
      return false;
    }
    rewriter.Replace(result, op.operands[neutral]);
    return true;
  }
  if (op.kind == OpKind::kSelect) {
    const Uniform predicate = UniformOf(rewriter, op.operands[0]);
    if (!predicate.known) return false;
    const bool taken = ir::ReadInt(predicate.dtype, predicate.data, 0) != 0;
    rewriter.Replace(result, op.operands[taken ? 1 : 2]);
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<ir::Module> SimplifyAlgebra(const ir::Module& module) {
  return RewriteEach(module, Visit);
}

}  // namespace acceld::compiler
