#include "server/compiler/fusion/splat.h"

#include <algorithm>

#include "common/ir/types/element.h"
#include "server/compiler/fusion/cost.h"

namespace acceld::compiler {

absl::optional<double> SplatOf(const RegionGraph& graph, ir::ValueId value,
                               std::vector<OpIndex>& used) {
  std::vector<OpIndex> ops;
  while (true) {
    const OpIndex definition = graph.DefinitionOf(value);
    if (definition == kNoOp) return absl::nullopt;
    ops.push_back(definition);
    const ir::Op& op = graph.ops()[definition];
    if (IsInlineConstant(op)) {
      const ir::Literal& literal = op.As<ir::ConstantAttributes>().value;
      if (!ir::IsFloat(literal.type().dtype)) return absl::nullopt;
      for (const OpIndex index : ops) {
        if (std::find(used.begin(), used.end(), index) == used.end()) used.push_back(index);
      }
      return ir::ReadFloat(literal.type().dtype, literal.bytes().data(), 0);
    }
    if (op.kind != ir::OpKind::kBroadcastInDim && op.kind != ir::OpKind::kReshape) {
      return absl::nullopt;
    }
    value = op.operands[0];
  }
}

}  // namespace acceld::compiler
