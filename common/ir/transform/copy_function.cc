#include "common/ir/transform/copy_function.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::ir {
namespace {

using ValueMap = absl::flat_hash_map<ValueId, ValueId>;

std::vector<ValueId> CopyOps(FunctionBuilder& builder, const Function& source, const Region& region,
                             ValueMap& values) {
  for (const Op& op : region.ops) builder.Clone(op, source, values);
  std::vector<ValueId> results;
  for (const ValueId id : region.results) results.push_back(values.at(id));
  return results;
}

struct Captures {
  absl::flat_hash_set<ValueId> defined, seen;
  std::vector<ValueId> values;

  void Use(ValueId id) {
    if (!defined.contains(id) && seen.insert(id).second) values.push_back(id);
  }
  void Visit(const Region& region) {
    defined.insert(region.parameters.begin(), region.parameters.end());
    for (const Op& op : region.ops) {
      for (const ValueId id : op.operands) Use(id);
      for (const Region& inner : op.regions) Visit(inner);
      defined.insert(op.results.begin(), op.results.end());
    }
    for (const ValueId id : region.results) Use(id);
  }
};

}  // namespace

std::vector<ValueId> CopyBody(FunctionBuilder& builder, const Function& callee,
                              absl::Span<const ValueId> arguments) {
  const std::vector<ValueId>& parameters = callee.body.parameters;
  ACCELD_CHECK(arguments.size() == parameters.size());
  ValueMap values;
  for (size_t i = 0; i < parameters.size(); ++i) values[parameters[i]] = arguments[i];
  return CopyOps(builder, callee, callee.body, values);
}

std::vector<ValueId> CapturesOf(absl::Span<const Region> regions) {
  Captures captures;
  for (const Region& region : regions) captures.Visit(region);
  return std::move(captures.values);
}

Function FunctionOf(const Function& source, const Region& region,
                    absl::Span<const ValueId> captures) {
  FunctionBuilder builder(source.name, /*is_public=*/false);
  ValueMap values;
  for (const ValueId id : captures) values[id] = builder.AddParameter(source.TypeOf(id));
  for (const ValueId id : region.parameters) values[id] = builder.AddParameter(source.TypeOf(id));
  return builder.Finish(CopyOps(builder, source, region, values));
}

std::string AddFunction(Module& module, Function function, const std::string& name) {
  std::string unique = name;
  // The number of functions is a number that is not taken, most of the time.
  for (size_t i = module.functions.size(); module.Find(unique) != nullptr; ++i) {
    unique = absl::StrCat(name, ".", i);
  }
  function.name = unique;
  function.is_public = false;
  module.functions.push_back(std::move(function));
  return unique;
}

void ReplaceFunction(Module& module, const std::string& name, Function function) {
  function.name = name;
  function.is_public = false;
  *std::find_if(module.functions.begin(), module.functions.end(),
                [&](const Function& known) { return known.name == name; }) = std::move(function);
}

}  // namespace acceld::ir
