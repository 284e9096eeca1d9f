#include "tests/unit/compiler/shrink/program_edits.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/ir/calls/call_graph.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {

using ir::OpKind;
using ir::ValueId;

namespace {

// A region and all inside it.
void ForEachRegion(ir::Region& region, const std::function<void(ir::Region&)>& visit) {
  visit(region);
  for (ir::Op& op : region.ops) {
    for (ir::Region& inner : op.regions) ForEachRegion(inner, visit);
  }
}

void ForEachUse(const ir::Region& region, const std::function<void(ValueId)>& visit) {
  for (const ir::Op& op : region.ops) {
    for (ValueId id : op.operands) visit(id);
    for (const ir::Region& inner : op.regions) ForEachUse(inner, visit);
  }
  for (ValueId id : region.results) visit(id);
}

void CollectOps(const ir::Region& region, std::vector<ValueId>& ids) {
  for (const ir::Op& op : region.ops) {
    if (!op.results.empty()) ids.push_back(op.results[0]);
    if (!IsControlFlow(op.kind)) continue;
    for (const ir::Region& inner : op.regions) CollectOps(inner, ids);
  }
}

template <typename List>
void EraseAt(List& list, size_t i) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
}

void ForEachCall(ir::Module& module, const std::string& callee,
                 const std::function<void(ir::Op&)>& visit) {
  for (ir::Function& function : module.functions) {
    ForEachRegion(function.body, [&](ir::Region& region) {
      for (ir::Op& op : region.ops) {
        const std::string* const name = ir::CalleeOf(op);
        if (name != nullptr && *name == callee) visit(op);
      }
    });
  }
}

// New ids for a region that is copied into a function whose own ids end where `base` is.
void AddToIds(ir::Region& region, ValueId base) {
  ForEachRegion(region, [&](ir::Region& inner) {
    for (ValueId& id : inner.parameters) id += base;
    for (ValueId& id : inner.results) id += base;
    for (ir::Op& op : inner.ops) {
      for (ValueId& id : op.operands) id += base;
      for (ValueId& id : op.results) id += base;
    }
  });
}

// Puts `region` in place of an op whose operands are its arguments (a branch has none).
void Splice(ir::Function& function, OpPosition position, ir::Region region) {
  const ir::Op op = std::move(position.op());
  auto& ops = position.region->ops;
  EraseAt(ops, position.index);
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(position.index),
             std::make_move_iterator(region.ops.begin()),
             std::make_move_iterator(region.ops.end()));
  // Results first: one may be a parameter.
  for (size_t i = 0; i < op.results.size() && i < region.results.size(); ++i) {
    ReplaceUses(function, op.results[i], region.results[i]);
  }
  for (size_t i = 0; i < region.parameters.size() && i < op.operands.size(); ++i) {
    ReplaceUses(function, region.parameters[i], op.operands[i]);
  }
}

}  // namespace

std::optional<OpPosition> FindOp(ir::Function& function, ValueId first_result) {
  std::optional<OpPosition> found;
  ForEachRegion(function.body, [&](ir::Region& region) {
    for (size_t i = 0; i < region.ops.size(); ++i) {
      const ir::Op& op = region.ops[i];
      if (!op.results.empty() && op.results[0] == first_result) found = OpPosition{&region, i};
    }
  });
  return found;
}

std::vector<ValueId> OpsInControlFlow(const ir::Function& function) {
  std::vector<ValueId> ids;
  CollectOps(function.body, ids);
  return ids;
}

absl::flat_hash_set<ValueId> LoopControl(const ir::Function& function) {
  absl::flat_hash_map<ValueId, const ir::Op*> makers;
  absl::flat_hash_map<ValueId, std::vector<ValueId>> carried;  // by parameters of loops
  absl::flat_hash_set<ValueId> control;
  std::vector<ValueId> todo;
  ForEachOp(function.body, [&](const ir::Op& op) {
    for (ValueId id : op.results) makers[id] = &op;
    if (op.kind != OpKind::kWhile) return;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      for (const ir::Region& region : op.regions) {
        carried[region.parameters[i]] = {op.operands[i], op.regions[1].results[i]};
      }
    }
    ForEachUse(op.regions[0], [&](ValueId id) { todo.push_back(id); });
  });
  while (!todo.empty()) {
    const ValueId id = todo.back();
    todo.pop_back();
    if (!control.insert(id).second) continue;
    if (const auto found = carried.find(id); found != carried.end()) {
      todo.insert(todo.end(), found->second.begin(), found->second.end());
    }
    const auto maker = makers.find(id);
    if (maker == makers.end()) continue;
    const ir::Op& op = *maker->second;
    // The op as a whole, for it is known by its first result.
    todo.insert(todo.end(), op.results.begin(), op.results.end());
    todo.insert(todo.end(), op.operands.begin(), op.operands.end());
    for (const ir::Region& region : op.regions) {
      ForEachUse(region, [&](ValueId used) { todo.push_back(used); });
    }
  }
  return control;
}

void ReplaceUses(ir::Function& function, ValueId from, ValueId to) {
  ForEachRegion(function.body, [&](ir::Region& region) {
    std::replace(region.results.begin(), region.results.end(), from, to);
    for (ir::Op& op : region.ops) {
      std::replace(op.operands.begin(), op.operands.end(), from, to);
    }
  });
}

ValueId InsertConstant(ir::Function& function, OpPosition position, ir::Literal value) {
  const auto id = static_cast<ValueId>(function.value_types.size());
  function.value_types.emplace_back(value.type());
  auto& ops = position.region->ops;
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(position.index),
             ir::Op{.kind = OpKind::kConstant,
                    .attributes = ir::ConstantAttributes{std::move(value)},
                    .results = {id}});
  return id;
}

void InlineRegion(ir::Function& function, OpPosition position, size_t region) {
  Splice(function, position, std::move(position.op().regions[region]));
}

void InlineCall(ir::Function& function, OpPosition position, const ir::Function& callee) {
  ir::Region copy = callee.body;
  AddToIds(copy, static_cast<ValueId>(function.value_types.size()));
  function.value_types.insert(function.value_types.end(), callee.value_types.begin(),
                              callee.value_types.end());
  Splice(function, position, std::move(copy));
}

bool DropResult(ir::Op& op, size_t i) {
  if (!IsControlFlow(op.kind)) return false;
  EraseAt(op.results, i);
  if (op.kind == OpKind::kWhile) {
    EraseAt(op.operands, i);
    for (ir::Region& region : op.regions) EraseAt(region.parameters, i);
    EraseAt(op.regions[1].results, i);
  } else {
    for (ir::Region& region : op.regions) EraseAt(region.results, i);
  }
  return true;
}

void DropFunctionResult(ir::Module& module, ir::Function& callee, size_t i) {
  EraseAt(callee.body.results, i);
  ForEachCall(module, callee.name, [&](ir::Op& call) { EraseAt(call.results, i); });
}

void DropFunctionParameter(ir::Module& module, ir::Function& callee, size_t i) {
  EraseAt(callee.body.parameters, i);
  ForEachCall(module, callee.name, [&](ir::Op& call) { EraseAt(call.operands, i); });
}

void DropUnusedOps(ir::Module& module) {
  for (ir::Function& function : module.functions) {
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<bool> used(function.value_types.size(), false);
      ForEachUse(function.body, [&](ValueId id) { used[id] = true; });
      ForEachRegion(function.body, [&](ir::Region& region) {
        changed |= std::erase_if(region.ops, [&](const ir::Op& op) {
                     return std::none_of(op.results.begin(), op.results.end(),
                                         [&](ValueId id) { return used[id]; });
                   }) != 0;
      });
    }
  }
}

void DropUncalled(ir::Module& module) {
  for (bool changed = true; changed;) {
    absl::flat_hash_set<std::string> called = {module.functions[0].name};
    for (const ir::Function& function : module.functions) {
      ForEachOp(function.body, [&](const ir::Op& op) {
        if (const std::string* name = ir::CalleeOf(op)) called.insert(*name);
      });
    }
    changed = std::erase_if(module.functions, [&](const ir::Function& function) {
                return !called.contains(function.name);
              }) != 0;
  }
}

}  // namespace acceld::compiler
