#include "server/compiler/passes/unroll_loops.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/element.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// Together they bound how much code one loop becomes.
constexpr int64_t kMaxSteps = 16;
constexpr int64_t kMaxUnrolledOps = 512;

absl::optional<int64_t> IntegerOf(const Rewriter& rewriter, ir::ValueId id) {
  const ir::Literal* value = rewriter.ConstantOf(id);
  if (value == nullptr || value->type().rank() != 0) return absl::nullopt;
  const ir::DType dtype = value->type().dtype;
  if (!ir::IsInteger(dtype)) return absl::nullopt;
  return ir::ReadInt(dtype, value->bytes().data(), 0);
}

// Ops that cost no more in a row than in a loop, and that fuse.
bool IsLight(const ir::Op& op) {
  return ir::FamilyOf(op.kind) == ir::OpFamily::kElementwise || op.kind == OpKind::kConstant ||
         op.kind == OpKind::kIota || op.kind == OpKind::kBroadcastInDim ||
         op.kind == OpKind::kReshape || op.kind == OpKind::kSlice;
}

const ir::Op* OpOf(const ir::Region& region, ir::ValueId result) {
  for (const ir::Op& op : region.ops) {
    if (op.results.size() == 1 && op.results[0] == result) return &op;
  }
  return nullptr;
}

// The number of steps of `for (i = a; i < b; ++i)` with constants a and b; nothing for other loops.
absl::optional<int64_t> CountSteps(const Rewriter& rewriter, const ir::Op& loop) {
  const ir::Region& condition = loop.regions[0];
  const ir::Region& body = loop.regions[1];
  const ir::Op* compare = OpOf(condition, condition.results[0]);
  if (compare == nullptr || compare->kind != OpKind::kCompare ||
      compare->As<ir::CompareAttributes>().comparison_direction != ir::ComparisonDirection::kLt) {
    return absl::nullopt;
  }
  const auto counter =
      std::find(condition.parameters.begin(), condition.parameters.end(), compare->operands[0]);
  if (counter == condition.parameters.end()) return absl::nullopt;
  const size_t i = counter - condition.parameters.begin();
  const ir::Op* next = OpOf(body, body.results[i]);
  if (next == nullptr || next->kind != OpKind::kAdd) return absl::nullopt;
  const bool left = next->operands[0] == body.parameters[i];
  if (!left && next->operands[1] != body.parameters[i]) return absl::nullopt;
  const absl::optional<int64_t> begin = IntegerOf(rewriter, loop.operands[i]);
  const absl::optional<int64_t> end = IntegerOf(rewriter, compare->operands[1]);
  const absl::optional<int64_t> step = IntegerOf(rewriter, next->operands[left ? 1 : 0]);
  // With steps of one the counter ends at `end` and never wraps around.
  if (!begin.has_value() || !end.has_value() || step != 1) return absl::nullopt;
  if (*begin < 0 || *end < *begin || *end - *begin > kMaxSteps) return absl::nullopt;
  return *end - *begin;
}

}  // namespace

absl::StatusOr<ir::Module> UnrollLoops(const ir::Module& module) {
  return RewriteEach(module, [](Rewriter& rewriter, ir::Op& op) -> absl::StatusOr<bool> {
    if (op.kind != OpKind::kWhile) return false;
    const ir::Region& body = op.regions[1];
    if (!std::all_of(body.ops.begin(), body.ops.end(), IsLight)) return false;
    const absl::optional<int64_t> steps = CountSteps(rewriter, op);
    if (!steps.has_value() || *steps * static_cast<int64_t>(body.ops.size()) > kMaxUnrolledOps) {
      return false;
    }
    std::vector<ir::ValueId> values = op.operands;
    for (int64_t step = 0; step < *steps; ++step) {
      values = rewriter.Splice(body, rewriter.function(), values);
    }
    rewriter.Replace(op.results, values);
    return true;
  });
}

}  // namespace acceld::compiler
