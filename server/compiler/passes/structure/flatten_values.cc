#include "server/compiler/passes/structure/flatten_values.h"

#include <utility>
#include <vector>

namespace acceld::compiler {
namespace {

using ir::OpKind;
using ir::ValueId;

void AddLeaves(const ir::Type& type, std::vector<ir::TensorType>& leaves) {
  switch (type.kind()) {
    case ir::Type::Kind::kTensor:
    case ir::Type::Kind::kQuantized:
      leaves.push_back(type.tensor());
      return;
    case ir::Type::Kind::kToken:
      return;
    case ir::Type::Kind::kTuple:
      for (const ir::Type& element : type.elements()) AddLeaves(element, leaves);
      return;
  }
}

std::vector<ir::TensorType> LeavesOf(const ir::Type& type) {
  std::vector<ir::TensorType> leaves;
  AddLeaves(type, leaves);
  return leaves;
}

class Flattener {
 public:
  explicit Flattener(const ir::Function& from) : from_(from), leaves_(from.value_types.size()) {
    to_.name = from.name;
    to_.is_public = from.is_public;
  }

  ir::Function Run() {
    to_.body = Flat(from_.body);
    to_.parameter_shardings = Flat(from_.parameter_shardings, from_.body.parameters);
    to_.result_shardings = Flat(from_.result_shardings, from_.body.results);
    return std::move(to_);
  }

 private:
  using Ids = std::vector<ValueId>;
  using Shardings = std::vector<std::optional<ir::Sharding>>;

  Ids Define(const std::vector<ValueId>& ids) {
    Ids flat;
    for (ValueId id : ids) {
      for (ir::TensorType& leaf : LeavesOf(from_.TypeOf(id))) {
        leaves_[id].push_back(static_cast<ValueId>(to_.value_types.size()));
        to_.value_types.emplace_back(std::move(leaf));
      }
      flat.insert(flat.end(), leaves_[id].begin(), leaves_[id].end());
    }
    return flat;
  }
  Ids Use(const std::vector<ValueId>& ids) const {
    Ids flat;
    for (ValueId id : ids) flat.insert(flat.end(), leaves_[id].begin(), leaves_[id].end());
    return flat;
  }

  // Only tensors have shardings.
  Shardings Flat(const Shardings& shardings, const std::vector<ValueId>& ids) const {
    Shardings flat;
    for (size_t i = 0; i < shardings.size(); ++i) {
      const bool is_tensor = from_.TypeOf(ids[i]).IsTensor();
      flat.insert(flat.end(), leaves_[ids[i]].size(),
                  is_tensor ? shardings[i] : std::optional<ir::Sharding>());
    }
    return flat;
  }

  // Drops the shardings of tokens.
  void KeepThoseOfTensors(const std::vector<ValueId>& ids,
                          std::vector<ir::Sharding>& shardings) const {
    size_t number = 0;
    std::erase_if(shardings,
                  [&](const ir::Sharding&) { return !from_.TypeOf(ids[number++]).IsTensor(); });
  }

  ir::Region Flat(const ir::Region& region) {
    ir::Region flat;
    flat.parameters = Define(region.parameters);
    for (const ir::Op& op : region.ops) {
      if (!Dissolve(op)) flat.ops.push_back(Flat(op));
    }
    flat.results = Use(region.results);
    return flat;
  }

  ir::Op Flat(const ir::Op& op) {
    ir::Op flat;
    flat.kind = op.kind;
    flat.attributes = op.attributes;
    flat.location = op.location;
    flat.operands = Use(op.operands);
    for (const ir::Region& region : op.regions) flat.regions.push_back(Flat(region));
    flat.results = Define(op.results);
    if (op.kind == OpKind::kManualComputation) {
      auto& attributes = std::get<ir::ManualComputationAttributes>(flat.attributes);
      KeepThoseOfTensors(op.operands, attributes.in_shardings);
      KeepThoseOfTensors(op.results, attributes.out_shardings);
    }
    return flat;
  }

  // Handles the ops that only make tuples or tokens or read tuple elements. Returns false for
  // others.
  bool Dissolve(const ir::Op& op) {
    if (op.kind == OpKind::kAfterAll || op.kind == OpKind::kCreateToken) return true;
    if (op.kind == OpKind::kTuple) {
      leaves_[op.results[0]] = Use(op.operands);
      return true;
    }
    if (op.kind != OpKind::kGetTupleElement) return false;
    const int64_t index = op.As<ir::IndexAttributes>().index;
    const std::vector<ir::Type>& elements = from_.TypeOf(op.operands[0]).elements();
    size_t begin = 0;
    for (int64_t i = 0; i < index; ++i) begin += LeavesOf(elements[i]).size();
    const Ids tuple = leaves_[op.operands[0]];
    const size_t size = LeavesOf(elements[index]).size();
    leaves_[op.results[0]].assign(tuple.begin() + begin, tuple.begin() + begin + size);
    return true;
  }

  const ir::Function& from_;
  ir::Function to_;
  std::vector<Ids> leaves_;  // by value of `from_`
};

}  // namespace

absl::StatusOr<ir::Module> FlattenValues(const ir::Module& module) {
  ir::Module out = module.WithoutFunctions();
  for (const ir::Function& function : module.functions) {
    bool is_flat = true;
    for (const ir::Type& type : function.value_types) is_flat &= type.IsTensor();
    out.functions.push_back(is_flat ? function : Flattener(function).Run());
  }
  return out;
}

}  // namespace acceld::compiler
