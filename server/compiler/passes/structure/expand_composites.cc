#include "server/compiler/passes/structure/expand_composites.h"

#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {

absl::StatusOr<ir::Module> ExpandComposites(const ir::Module& module) {
  return RewriteEach(module, [](Rewriter&, ir::Op& op) -> absl::StatusOr<bool> {
    if (op.kind != ir::OpKind::kComposite) return false;
    op.kind = ir::OpKind::kCall;
    op.attributes = ir::CallAttributes{op.As<ir::CompositeAttributes>().decomposition};
    return false;
  });
}

}  // namespace acceld::compiler
