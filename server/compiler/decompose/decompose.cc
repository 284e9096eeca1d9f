#include "server/compiler/decompose/decompose.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/op_table.h"
#include "server/compiler/decompose/decomposition.h"
#include "server/compiler/decompose/random_streams.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using Handler = DecompositionResult (*)(Decomposition&);

constexpr ir::OpTable<Handler> kHandlers = {
#define ACCELD_DERIVED_OP(Kind, ...) {ir::OpKind::k##Kind, &Decompose##Kind},
#include "common/ir/ops.def"
};

absl::StatusOr<bool> Replace(Rewriter& rewriter, const ir::Op& op) {
  Decomposition decomposition(rewriter.function(), op);
  absl::StatusOr<std::vector<ir::ValueId>> results = kHandlers[op.kind](decomposition);
  if (!results.ok()) return Annotate(results.status(), ir::NameOf(op.kind));
  const ir::Function function = decomposition.Finish(*std::move(results));
  rewriter.Replace(op.results, rewriter.Splice(function.body, function, decomposition.arguments()));
  return true;
}

bool Holds(const ir::Module& module, ir::OpKind kind) {
  bool holds = false;
  for (const ir::Function& function : module.functions) {
    ForEachOp(function.body, [&](const ir::Op& op) { holds |= op.kind == kind; });
  }
  return holds;
}

}  // namespace

absl::StatusOr<ir::Module> Decompose(const ir::Module& module) {
  // The rng ops are replaced last: by then a map whose region draws random numbers is a loop, which
  // AddRandomStreamKeys supports.
  const auto all_but_rng = [](Rewriter& rewriter, ir::Op& op) -> absl::StatusOr<bool> {
    if (kHandlers[op.kind] == nullptr || op.kind == ir::OpKind::kRng) {
      return false;
    }
    return Replace(rewriter, op);
  };
  ACCELD_ASSIGN_OR_RETURN(ir::Module out, RewriteEach(module, all_but_rng));
  if (!Holds(out, ir::OpKind::kRng)) return out;
  ACCELD_ASSIGN_OR_RETURN(out, AddRandomStreamKeys(std::move(out)));
  return RewriteEach(out, [](Rewriter& rewriter, ir::Op& op) -> absl::StatusOr<bool> {
    if (op.kind != ir::OpKind::kRng) return false;
    return Replace(rewriter, op);
  });
}

}  // namespace acceld::compiler
