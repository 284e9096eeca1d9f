#include "common/ir/conformance/extract.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/ir/builder.h"
#include "common/ir/calls/call_graph.h"

namespace acceld::ir {
namespace {

bool IsCallTo(const Op& op, absl::string_view function) {
  return op.kind == OpKind::kCall && op.As<CallAttributes>().callee.name == function;
}

// Adds all values that the op and its regions use, including those that the regions define.
// Recurses as deep as regions nest, which the verifier bounds.
void AddUses(const Op& op, absl::flat_hash_set<ValueId>& uses) {
  uses.insert(op.operands.begin(), op.operands.end());
  for (const Region& region : op.regions) {
    uses.insert(region.results.begin(), region.results.end());
    for (const Op& inner : region.ops) AddUses(inner, uses);
  }
}

}  // namespace

Function ExtractCone(const Function& main, const std::vector<ValueId>& values,
                     bool inputs_as_parameters) {
  absl::flat_hash_set<ValueId> needed(values.begin(), values.end());
  std::vector<const Op*> ops;
  for (auto op = main.body.ops.rbegin(); op != main.body.ops.rend(); ++op) {
    bool is_needed = false;
    for (ValueId id : op->results) is_needed = is_needed || needed.contains(id);
    const bool is_input = inputs_as_parameters && IsCallTo(*op, kConformanceInputs);
    if (is_input || is_needed) ops.push_back(&*op);
    if (is_needed) AddUses(*op, needed);
  }

  FunctionBuilder builder((std::string(kConformanceMain)));
  absl::flat_hash_map<ValueId, ValueId> ids;
  std::vector<ValueId> parameters;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (!inputs_as_parameters || !IsCallTo(**op, kConformanceInputs)) {
      builder.Clone(**op, main, ids);
      continue;
    }
    // Each call of @inputs has the same results.
    for (size_t i = 0; i < (*op)->results.size(); ++i) {
      const ValueId id = (*op)->results[i];
      if (i == parameters.size()) parameters.push_back(builder.AddParameter(main.TypeOf(id)));
      ids[id] = parameters[i];
    }
  }
  std::vector<ValueId> results;
  results.reserve(values.size());
  for (ValueId id : values) results.push_back(ids.at(id));
  return builder.Finish(std::move(results));
}

Module ReachableFrom(const Module& module, std::vector<std::string> names) {
  absl::flat_hash_set<std::string> reached;
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    const Function* function = module.Find(name);
    if (function == nullptr || !reached.insert(name).second) continue;
    for (std::string& callee : CalleesOf(function->body)) names.push_back(std::move(callee));
  }
  Module result = module.WithoutFunctions();
  for (const Function& function : module.functions) {
    if (reached.contains(function.name)) result.functions.push_back(function);
  }
  return result;
}

Module WithMain(const Module& module, Function main) {
  Module result = ReachableFrom(module, CalleesOf(main.body));
  result.functions.insert(result.functions.begin(), std::move(main));
  return result;
}

}  // namespace acceld::ir
