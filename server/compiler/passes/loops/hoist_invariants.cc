#include "server/compiler/passes/loops/hoist_invariants.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using Values = absl::flat_hash_map<ir::ValueId, ir::ValueId>;

void Substitute(std::vector<ir::ValueId>& ids, const Values& values) {
  for (ir::ValueId& id : ids) {
    const auto found = values.find(id);
    if (found != values.end()) id = found->second;
  }
}

void Substitute(ir::Region& region, const Values& values) {
  for (ir::Op& op : region.ops) {
    Substitute(op.operands, values);
    for (ir::Region& inner : op.regions) Substitute(inner, values);
  }
  Substitute(region.results, values);
}

// The rewriter visits inner loops first, so that a value that is passed through several loops is
// removed from all of them.
absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op) {
  if (op.kind != ir::OpKind::kWhile) return false;
  ir::Region& condition = op.regions[0];
  ir::Region& body = op.regions[1];
  Values outside;
  size_t kept = 0;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (body.results[i] == body.parameters[i]) {
      outside[condition.parameters[i]] = outside[body.parameters[i]] = op.operands[i];
      rewriter.Replace(op.results[i], op.operands[i]);
      continue;
    }
    for (std::vector<ir::ValueId>* ids :
         {&op.operands, &op.results, &condition.parameters, &body.parameters, &body.results}) {
      (*ids)[kept] = (*ids)[i];
    }
    ++kept;
  }
  if (outside.empty()) return false;
  for (std::vector<ir::ValueId>* ids :
       {&op.operands, &op.results, &condition.parameters, &body.parameters, &body.results}) {
    ids->resize(kept);
  }
  Substitute(condition, outside);
  Substitute(body, outside);
  return false;
}

}  // namespace

absl::StatusOr<ir::Module> HoistInvariants(const ir::Module& module) {
  return RewriteEach(module, Visit);
}

}  // namespace acceld::compiler
