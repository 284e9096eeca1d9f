#include "server/compiler/spmd/neutral_element.h"

#include <algorithm>

#include "common/ir/simple_reducer.h"
#include "common/ir/types/element.h"

namespace acceld::compiler::spmd {
namespace {

using ir::OpKind;

bool AllBytesAre(const ir::Literal& literal, char byte) {
  return std::all_of(literal.bytes().begin(), literal.bytes().end(),
                     [&](char b) { return b == byte; });
}

// Whether combining any value with the scalar gives that value.
bool IsNeutral(OpKind combiner, const ir::Literal& scalar) {
  const ir::DType dtype = scalar.type().dtype;
  const char* const data = scalar.bytes().data();
  const bool is_real = ir::IsFloat(dtype);
  switch (combiner) {
    case OpKind::kAdd:
    case OpKind::kXor:
      // -0 is neutral too; the sum of 0 and -0 is 0 either way for a splat of zeros.
      return AllBytesAre(scalar, 0);
    case OpKind::kMultiply:
      if (ir::IsComplex(dtype)) return ir::ReadComplex(dtype, data, 0) == ir::Complex(1, 0);
      return is_real ? ir::ReadFloat(dtype, data, 0) == 1 : ir::ReadInt(dtype, data, 0) == 1;
    default:
      return false;
  }
}

}  // namespace

absl::optional<OpKind> CombinerOf(const ir::Region& region) {
  static constexpr OpKind kCombiners[] = {OpKind::kAdd,     OpKind::kMultiply, OpKind::kMinimum,
                                          OpKind::kMaximum, OpKind::kAnd,      OpKind::kOr,
                                          OpKind::kXor};
  if (region.ops.size() != 1 || region.parameters.size() != 2 || region.results.size() != 1) {
    return absl::nullopt;
  }
  const ir::Op& op = region.ops[0];
  std::vector<ir::ValueId> operands = op.operands;
  std::sort(operands.begin(), operands.end());
  std::vector<ir::ValueId> parameters = region.parameters;
  std::sort(parameters.begin(), parameters.end());
  const bool combines =
      operands == parameters && op.results == region.results &&
      std::find(std::begin(kCombiners), std::end(kCombiners), op.kind) != std::end(kCombiners);
  if (!combines) return absl::nullopt;
  return op.kind;
}

bool MayHaveParts(ir::DType dtype) { return !ir::IsFloat(dtype) || ir::BitsOf(dtype) > 8; }

bool IsSplittableReduction(const ir::Function& function, const ir::Op& reduce,
                           const ir::Literal* initial) {
  if (reduce.results.size() != 1) return false;
  const absl::optional<OpKind> combiner = CombinerOf(reduce.regions[0]);
  if (!combiner.has_value()) return false;
  if (IsIdempotent(*combiner)) return true;
  if (!MayHaveParts(function.TensorOf(reduce.results[0]).dtype)) return false;
  return initial != nullptr && IsNeutral(*combiner, *initial);
}

bool IsIdempotent(OpKind combiner) {
  return combiner == OpKind::kMinimum || combiner == OpKind::kMaximum || combiner == OpKind::kAnd ||
         combiner == OpKind::kOr;
}

bool IsSplittableScatter(const ir::Function& function, const ir::Op& scatter) {
  if (scatter.results.size() != 1) return false;
  const absl::optional<OpKind> combiner = CombinerOf(scatter.regions[0]);
  if (!combiner.has_value()) return false;
  const bool has_zero = *combiner == OpKind::kAdd || *combiner == OpKind::kXor;
  return IsIdempotent(*combiner) ||
         (has_zero && MayHaveParts(function.TensorOf(scatter.results[0]).dtype));
}

}  // namespace acceld::compiler::spmd
