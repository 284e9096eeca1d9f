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

// Together they bound how much code one loop becomes.
constexpr int64_t kMaxTurns = 16;
constexpr int64_t kMaxUnrolledOps = 512;
// All loops of a program together may become this many ops; later ones stay loops.
constexpr int64_t kMaxUnrolledTogether = 100'000;

// Ops that cost no more in a row than in a loop, and that fuse.
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
    const absl::optional<int64_t> turns = CountedLoop::TurnsOf(rewriter, op);
    if (!turns.has_value() || *turns > kMaxTurns) return false;
    const int64_t ops = *turns * static_cast<int64_t>(body.ops.size());
    if (ops > kMaxUnrolledOps || ops > ops_left) return false;
    ops_left -= ops;
    std::vector<ir::ValueId> values = op.operands;
    for (int64_t turn = 0; turn < *turns; ++turn) {
      values = rewriter.Splice(body, rewriter.function(), values);
    }
    rewriter.Replace(op.results, values);
    return true;
  });
}

}  // namespace acceld::compiler
