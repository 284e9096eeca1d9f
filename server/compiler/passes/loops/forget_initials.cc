#include "server/compiler/passes/loops/forget_initials.h"

#include <utility>

#include "common/ir/calls/uninitialized.h"
#include "server/compiler/passes/loops/counted_loop.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// Whether all iterations together write the whole array: each iteration one row, and each a
// different one.
bool WritesAllRows(const Rewriter& rewriter, const CountedLoop& counted, const ir::Op& update) {
  const ir::Dims& dims = rewriter.TensorOf(update.operands[0]).dims;
  const ir::Dims& row = rewriter.TensorOf(update.operands[1]).dims;
  bool is_covered = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (row[d] == dims[d]) continue;  // The index is clamped to 0.
    const absl::optional<Progression> rows = counted.ProgressionOf(update.operands[2 + d]);
    if (is_covered || row[d] != 1 || !rows.has_value() || !counted.Covers(*rows, dims[d])) {
      return false;
    }
    is_covered = true;
  }
  return is_covered;
}

// Whether the loop fills the array that is its carried value number `carried`, and reads nothing of
// it.
bool IsFilled(const Rewriter& rewriter, const CountedLoop& counted, const ir::Op& loop,
              size_t carried) {
  const ir::ValueId array = loop.regions[1].parameters[carried];
  const ir::ValueId next = loop.regions[1].results[carried];
  if (counted.ReadsOf(loop.regions[0].parameters[carried]) != 0 || counted.ReadsOf(array) != 1 ||
      counted.ReadsOf(next) != 1 || counted.IsInvariant(next)) {
    return false;
  }
  const ir::Op* update = counted.DefinitionOf(next);
  return update != nullptr && update->kind == OpKind::kDynamicUpdateSlice &&
         update->operands[0] == array && WritesAllRows(rewriter, counted, *update);
}

absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op) {
  if (op.kind != OpKind::kWhile) return false;
  const absl::optional<CountedLoop> counted = CountedLoop::Match(rewriter, op);
  if (!counted.has_value()) return false;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (!IsFilled(rewriter, *counted, op, i)) continue;
    ir::CustomCallAttributes call;
    call.call_target_name = ir::kUninitializedTarget;
    op.operands[i] = rewriter.Emit(OpKind::kCustomCall, {}, std::move(call),
                                   rewriter.TypeOf(op.results[i]), op.location);
  }
  return false;
}

}  // namespace

absl::StatusOr<ir::Module> ForgetInitials(const ir::Module& module) {
  return RewriteEach(module, Visit);
}

}  // namespace acceld::compiler
