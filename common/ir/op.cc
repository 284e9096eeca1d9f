#include "common/ir/op.h"

#include <string>

#include "absl/container/flat_hash_map.h"

namespace acceld::ir {

const OpInfo& InfoOf(OpKind kind) {
  static const OpInfo* const infos = new OpInfo[kNumOpKinds]{
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  {name, min_operands, max_operands, regions, OpFamily::k##Family, kAny, Attributes{}},
#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands)                   \
  {name,        arity, arity, 0, OpFamily::kElementwise, static_cast<OperandClasses>(Operands), \
   Attributes{}},
#include "common/ir/ops.def"
  };
  return infos[static_cast<int>(kind)];
}

absl::optional<OpKind> FindOp(absl::string_view name) {
  static const auto* const kinds = [] {
    auto* map = new absl::flat_hash_map<absl::string_view, OpKind>();
    for (int i = 0; i < kNumOpKinds; ++i) {
      const auto kind = static_cast<OpKind>(i);
      map->emplace(NameOf(kind), kind);
    }
    return map;
  }();
  const auto found = kinds->find(name);
  if (found == kinds->end()) return absl::nullopt;
  return found->second;
}

}  // namespace acceld::ir
