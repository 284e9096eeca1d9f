#include "common/ir/cost/accessed_bytes.h"

#include "absl/types/span.h"

namespace acceld::ir {
namespace {

double BytesOf(const Type& type) {
  if (!type.IsTensor() || !type.tensor().IsStatic()) return 0;
  return static_cast<double>(type.tensor().size_bytes());
}

double BytesOf(const Function& function, absl::Span<const ValueId> ids) {
  double bytes = 0;
  for (const ValueId id : ids) bytes += BytesOf(function.TypeOf(id));
  return bytes;
}

// Returns the bytes of the operands from index `first` on.
double BytesFrom(const Function& function, const Op& op, size_t first) {
  return BytesOf(function, absl::MakeConstSpan(op.operands).subspan(first));
}

bool OnlyArranges(OpKind kind) {
  return kind == OpKind::kAfterAll || kind == OpKind::kConstant || kind == OpKind::kCreateToken ||
         kind == OpKind::kGetTupleElement || kind == OpKind::kOptimizationBarrier ||
         kind == OpKind::kTuple || FamilyOf(kind) == OpFamily::kSharding;
}

}  // namespace

double AccessedBytesOf(const Function& function, const Op& op) {
  if (OnlyArranges(op.kind)) return 0;
  const double results = BytesOf(function, op.results);
  if (op.kind == OpKind::kSlice) return 2 * results;
  if (op.kind == OpKind::kDynamicSlice || op.kind == OpKind::kGather) {
    return 2 * results + BytesFrom(function, op, 1);
  }
  if (op.kind == OpKind::kDynamicUpdateSlice) {
    return 2 * BytesOf(function.TypeOf(op.operands[1])) + BytesFrom(function, op, 2);
  }
  if (op.kind == OpKind::kScatter) {
    // The operands are inputs, indices and updates. Each update is read, and its element is read
    // and written.
    const size_t inputs = op.results.size();
    return BytesOf(function.TypeOf(op.operands[inputs])) + 3 * BytesFrom(function, op, inputs + 1);
  }
  return BytesFrom(function, op, 0) + results;
}

}  // namespace acceld::ir
