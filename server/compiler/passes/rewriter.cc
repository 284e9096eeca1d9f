#include "server/compiler/passes/rewriter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/verify/limits.h"
#include "common/memory/allocation.h"

namespace acceld::compiler {
namespace {

void RenumberRegion(ir::Region& region, std::vector<ir::ValueId>& map,
                    std::vector<ir::Type>& old_types, std::vector<ir::Type>& new_types) {
  const auto define = [&](ir::ValueId& id) {
    map[id] = static_cast<ir::ValueId>(new_types.size());
    new_types.push_back(std::move(old_types[id]));
    id = map[id];
  };
  for (ir::ValueId& id : region.parameters) define(id);
  for (ir::Op& op : region.ops) {
    for (ir::ValueId& id : op.operands) id = map[id];
    for (ir::Region& inner : op.regions) RenumberRegion(inner, map, old_types, new_types);
    for (ir::ValueId& id : op.results) define(id);
  }
  for (ir::ValueId& id : region.results) id = map[id];
}

bool KeepsDefinition(ir::OpKind kind) {
  switch (ir::FamilyOf(kind)) {
    case ir::OpFamily::kElementwise:
    case ir::OpFamily::kIndexing:
      return true;
    case ir::OpFamily::kNest:
      return kind == ir::OpKind::kDynamicUpdateSlice;
    case ir::OpFamily::kContraction:
    case ir::OpFamily::kRoutine:
    case ir::OpFamily::kDerived:
    case ir::OpFamily::kDynamic:
    case ir::OpFamily::kCollective:
    case ir::OpFamily::kSharding:
      return false;
    case ir::OpFamily::kStructure:
      return kind == ir::OpKind::kConstant || kind == ir::OpKind::kTuple;
  }
  return false;
}

absl::Status TooManyOps(const ir::Function& function) {
  return absl::ResourceExhaustedError(
      absl::StrCat("@", function.name, ": the program has more than ", ir::limits::kMaxOps,
                   " ops once some of its ops are written as others"));
}

}  // namespace

Rewriter::Rewriter(const ir::Function& function) : function_(function) {
  replacement_.resize(function_.value_types.size());
  for (size_t i = 0; i < replacement_.size(); ++i) replacement_[i] = static_cast<ir::ValueId>(i);
  definition_of_.assign(replacement_.size(), -1);
}

absl::StatusOr<ir::Function> Rewriter::Run(const ir::Function& function, const Visitor& visitor,
                                           const ScopeListener& scopes) {
  Rewriter rewriter(function);
  rewriter.visitor_ = &visitor;
  rewriter.scopes_ = &scopes;
  ir::Region body = std::move(rewriter.function_.body);
  ACCELD_RETURN_IF_ERROR(rewriter.RunRegion(body, nullptr));
  rewriter.function_.body = std::move(body);
  return Renumber(std::move(rewriter.function_));
}

absl::Status Rewriter::RunRegion(ir::Region& region, const ir::Op* owner) {
  if (scopes_->enter) scopes_->enter(owner);
  open_.emplace_back().reserve(region.ops.size());
  for (ir::Op& op : region.ops) {
    for (ir::ValueId& id : op.operands) id = Resolve(id);
    if (op.kind != ir::OpKind::kFusion) {
      for (ir::Region& inner : op.regions) ACCELD_RETURN_IF_ERROR(RunRegion(inner, &op));
    }
    ACCELD_ASSIGN_OR_RETURN(const bool done, (*visitor_)(*this, op));
    if (!done) Append(std::move(op));
    if (num_appended_ > ir::limits::kMaxOps) return TooManyOps(function_);
    ACCELD_RETURN_IF_ERROR(CheckMayContinue(function_.name));
  }
  for (ir::ValueId& id : region.results) id = Resolve(id);
  region.ops = std::move(open_.back());
  open_.pop_back();
  if (scopes_->leave) scopes_->leave(owner);
  return absl::OkStatus();
}

void Rewriter::Replace(ir::ValueId from, ir::ValueId to) { replacement_[from] = Resolve(to); }

void Rewriter::Replace(absl::Span<const ir::ValueId> from, absl::Span<const ir::ValueId> to) {
  ACCELD_CHECK(from.size() == to.size());
  for (size_t i = 0; i < from.size(); ++i) Replace(from[i], to[i]);
}

ir::ValueId Rewriter::Resolve(ir::ValueId id) const { return replacement_[id]; }

ir::ValueId Rewriter::NewValue(ir::Type type) {
  const auto id = static_cast<ir::ValueId>(function_.value_types.size());
  function_.value_types.push_back(std::move(type));
  replacement_.push_back(id);
  definition_of_.push_back(-1);
  return id;
}

void Rewriter::Append(ir::Op op) {
  if (KeepsDefinition(op.kind)) {
    definition_of_[op.results[0]] = static_cast<int32_t>(definitions_.size());
    definitions_.push_back(op);
  }
  ++num_appended_;
  open_.back().push_back(std::move(op));
}

ir::ValueId Rewriter::Emit(ir::OpKind kind, std::vector<ir::ValueId> operands,
                           ir::OpAttributes attributes, ir::Type result_type,
                           ir::Location location) {
  const ir::ValueId result = NewValue(std::move(result_type));
  Append(ir::MakeOp(kind, std::move(operands), std::move(attributes), {result}, location));
  return result;
}

ir::ValueId Rewriter::EmitConstant(ir::Literal value, ir::Location location) {
  ir::TensorType type = value.type();
  return Emit(ir::OpKind::kConstant, {}, ir::ConstantAttributes{std::move(value)}, std::move(type),
              location);
}

ir::Op Rewriter::CloneOp(const ir::Op& op, const ir::Function& source,
                         absl::flat_hash_map<ir::ValueId, ir::ValueId>& map) {
  const auto mapped = [&](ir::ValueId id) {
    const auto it = map.find(id);
    ACCELD_CHECK(it != map.end() || &source == &function_);
    return it == map.end() ? Resolve(id) : it->second;
  };
  const auto define = [&](ir::ValueId id) {
    const ir::ValueId fresh = NewValue(ir::Type(source.value_types[id]));
    map[id] = fresh;
    return fresh;
  };
  ir::Op copy;
  copy.kind = op.kind;
  copy.attributes = op.attributes;
  copy.location = op.location;
  for (ir::ValueId id : op.operands) copy.operands.push_back(mapped(id));
  for (const ir::Region& region : op.regions) {
    ir::Region& inner = copy.regions.emplace_back();
    for (ir::ValueId id : region.parameters) inner.parameters.push_back(define(id));
    for (const ir::Op& o : region.ops) inner.ops.push_back(CloneOp(o, source, map));
    for (ir::ValueId id : region.results) inner.results.push_back(mapped(id));
  }
  for (ir::ValueId id : op.results) copy.results.push_back(define(id));
  return copy;
}

std::vector<ir::ValueId> Rewriter::Splice(const ir::Region& region, const ir::Function& source,
                                          absl::Span<const ir::ValueId> arguments,
                                          absl::flat_hash_map<ir::ValueId, ir::ValueId> outer) {
  ACCELD_CHECK(arguments.size() == region.parameters.size());
  absl::flat_hash_map<ir::ValueId, ir::ValueId> map = std::move(outer);
  for (size_t i = 0; i < arguments.size(); ++i) map[region.parameters[i]] = arguments[i];
  for (const ir::Op& op : region.ops) Append(CloneOp(op, source, map));
  std::vector<ir::ValueId> results;
  for (ir::ValueId id : region.results) {
    const auto it = map.find(id);
    results.push_back(it == map.end() ? Resolve(id) : it->second);
  }
  return results;
}

ir::Region Rewriter::Clone(const ir::Region& region) {
  ir::Op owner;
  owner.regions.push_back(region);
  absl::flat_hash_map<ir::ValueId, ir::ValueId> map;
  return std::move(CloneOp(owner, function_, map).regions[0]);
}

const ir::Op* Rewriter::DefinitionOf(ir::ValueId id) const {
  return definition_of_[id] < 0 ? nullptr : &definitions_[definition_of_[id]];
}

const ir::Literal* Rewriter::ConstantOf(ir::ValueId id) const {
  const ir::Op* op = DefinitionOf(id);
  if (op == nullptr || op->kind != ir::OpKind::kConstant) return nullptr;
  return &op->As<ir::ConstantAttributes>().value;
}

absl::StatusOr<ir::Module> RewriteEach(const ir::Module& module, const Rewriter::Visitor& visitor) {
  ir::Module out = module.WithoutFunctions();
  for (const ir::Function& function : module.functions) {
    ACCELD_ASSIGN_OR_RETURN(ir::Function rewritten, Rewriter::Run(function, visitor));
    out.functions.push_back(std::move(rewritten));
  }
  ACCELD_RETURN_IF_ERROR(CheckNumOps(out));
  return out;
}

absl::Status CheckNumOps(const ir::Module& module) {
  int64_t num_ops = 0;
  for (const ir::Function& function : module.functions) {
    ForEachOp(function.body, [&](const ir::Op&) { ++num_ops; });
    if (num_ops > ir::limits::kMaxOps) return TooManyOps(function);
  }
  return absl::OkStatus();
}

ir::Function Renumber(ir::Function function) {
  std::vector<ir::ValueId> map(function.value_types.size());
  std::vector<ir::Type> new_types;
  new_types.reserve(map.size());
  RenumberRegion(function.body, map, function.value_types, new_types);
  function.value_types = std::move(new_types);
  return function;
}

void ForEachOp(const ir::Region& region, const std::function<void(const ir::Op&)>& visit) {
  for (const ir::Op& op : region.ops) {
    visit(op);
    for (const ir::Region& inner : op.regions) ForEachOp(inner, visit);
  }
}

bool IsControlFlow(ir::OpKind kind) {
  return kind == ir::OpKind::kWhile || kind == ir::OpKind::kCase || kind == ir::OpKind::kIf;
}

}  // namespace acceld::compiler
