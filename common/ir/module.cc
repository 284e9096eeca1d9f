#include "common/ir/module.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace acceld::ir {

std::vector<Type> Function::TypesOf(absl::Span<const ValueId> ids) const {
  std::vector<Type> types;
  types.reserve(ids.size());
  for (ValueId id : ids) types.push_back(TypeOf(id));
  return types;
}

Op MakeOp(OpKind kind, std::vector<ValueId> operands, OpAttributes attributes,
          std::vector<ValueId> results, Location location) {
  Op op;
  op.kind = kind;
  op.attributes = std::move(attributes);
  op.operands = std::move(operands);
  op.results = std::move(results);
  op.location = location;
  return op;
}

Module Module::WithoutFunctions() const {
  return {.name = name, .functions = {}, .grid = grid, .meshes = meshes, .source_locations = {}};
}

const Function* Module::Find(absl::string_view function_name) const {
  for (const Function& function : functions) {
    if (absl::string_view(function.name) == function_name) return &function;
  }
  return nullptr;
}

absl::StatusOr<const Function*> Module::Entry(absl::string_view entry) const {
  if (const Function* function = Find(entry)) return function;
  std::vector<absl::string_view> names;
  for (const Function& function : functions) {
    if (function.is_public) names.push_back(function.name);
  }
  // A module may have very many functions; the message stays readable.
  constexpr size_t kMaxListed = 16;
  const bool cut = names.size() > kMaxListed;
  if (cut) names.resize(kMaxListed);
  return absl::NotFoundError(absl::StrCat(
      "the module has no function '", entry,
      "'; its public functions are: ", absl::StrJoin(names, ", "), cut ? ", ..." : ""));
}

}  // namespace acceld::ir
