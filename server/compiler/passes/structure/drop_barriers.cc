#include "server/compiler/passes/structure/drop_barriers.h"

#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op) {
  if (op.kind != ir::OpKind::kOptimizationBarrier) return false;
  rewriter.Replace(op.results, op.operands);
  return true;
}

bool HasBarrier(const ir::Module& module) {
  bool found = false;
  for (const ir::Function& function : module.functions) {
    ForEachOp(function.body, [&](const ir::Op& op) {
      found = found || op.kind == ir::OpKind::kOptimizationBarrier;
    });
  }
  return found;
}

}  // namespace

absl::StatusOr<ir::Module> DropBarriers(const ir::Module& module) {
  // Most programs have no barrier, and rewriting a module takes longer than reading it.
  if (!HasBarrier(module)) return module;
  return RewriteEach(module, Visit);
}

}  // namespace acceld::compiler
