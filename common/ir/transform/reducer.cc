#include "common/ir/transform/reducer.h"

#include <algorithm>
#include <limits>

namespace acceld::ir {

absl::optional<OpKind> ReducerOf(const Region& region, size_t i) {
  const ValueId accumulator = region.parameters[i];
  const ValueId element = region.parameters[region.parameters.size() / 2 + i];
  for (const Op& op : region.ops) {
    if (std::find(op.results.begin(), op.results.end(), region.results[i]) == op.results.end()) {
      continue;
    }
    const bool combines = op.operands == std::vector<ValueId>{accumulator, element} ||
                          op.operands == std::vector<ValueId>{element, accumulator};
    if (combines) return op.kind;
  }
  return absl::nullopt;
}

bool IsIdentity(OpKind extremum, const Literal* value) {
  if (value == nullptr || value->type().rank() != 0 || !IsFloat(value->type().dtype)) return false;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return ReadFloat(value->type().dtype, value->bytes().data(), 0) ==
         (extremum == OpKind::kMaximum ? -kInfinity : kInfinity);
}

bool IsReplacement(const Region& region, size_t i) {
  return region.results[i] == region.parameters[region.parameters.size() / 2 + i];
}

}  // namespace acceld::ir
