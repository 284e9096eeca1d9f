#include "server/compiler/passes/loops/unroll_loops.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "server/compiler/passes/loops/counted_loop.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// The most iterations and the most unrolled ops of one loop.
constexpr int64_t kMaxUnrolledIterations = 16;
constexpr int64_t kMaxUnrolledOps = 512;
// The most unrolled ops of a program. Further loops stay as they are.
constexpr int64_t kMaxUnrolledTogether = 100'000;

// Whether the op is cheap and can be fused.
bool IsLight(const ir::Op& op) {
  return ir::FamilyOf(op.kind) == ir::OpFamily::kElementwise || op.kind == OpKind::kConstant ||
         op.kind == OpKind::kIota || op.kind == OpKind::kBroadcastInDim ||
         op.kind == OpKind::kReshape || op.kind == OpKind::kSlice;
}

}  // namespace

absl::StatusOr<ir::Module> UnrollLoops(const ir::Module& module) {
  int64_t ops_left = kMaxUnrolledTogether;
  return RewriteEach(module, [&](Rewriter& rewriter, ir::Op& op) -> absl::StatusOr<bool> {
    if (op.kind != OpKind::kWhile) return false;
    const ir::Region& body = op.regions[1];
    if (!std::all_of(body.ops.begin(), body.ops.end(), IsLight)) return false;
    const absl::optional<int64_t> num_iterations = CountedLoop::NumIterationsOf(rewriter, op);
    if (!num_iterations.has_value() || *num_iterations > kMaxUnrolledIterations) return false;
    const int64_t ops = *num_iterations * static_cast<int64_t>(body.ops.size());
    if (ops > kMaxUnrolledOps || ops > ops_left) return false;
    ops_left -= ops;
    std::vector<ir::ValueId> values = op.operands;
    for (int64_t turn = 0; turn < *num_iterations; ++turn) {
      values = rewriter.Splice(body, rewriter.function(), values);
    }
    rewriter.Replace(op.results, values);
    return true;
  });
}

}  // namespace acceld::compiler
