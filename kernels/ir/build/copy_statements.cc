#include "kernels/ir/build/copy_statements.h"

#include <variant>

namespace acceld::kernels {

Block StatementCopier::Copy(const Block& block) {
  Block copies;
  copies.reserve(block.size());
  for (const Statement& statement : block) copies.push_back(Copy(statement));
  return copies;
}

Statement StatementCopier::Copy(const Statement& statement) {
  return std::visit([this](const auto& one) { return Statement{Of(one)}; }, statement.value);
}

Var StatementCopier::Now(Var var) const {
  const auto found = values_.find(var);
  return found == values_.end() ? var : found->second;
}

ConstantStatement StatementCopier::Of(const ConstantStatement& constant) {
  return {Define(constant.result), constant.bits};
}

ScalarStatement StatementCopier::Of(const ScalarStatement& scalar) {
  ScalarStatement copy = scalar;
  for (Var& operand : copy.operands) operand = Now(operand);
  copy.result = Define(scalar.result);
  return copy;
}

LoadStatement StatementCopier::Of(const LoadStatement& load) {
  const Var index = Now(load.index);
  return {Define(load.result), BufferNow(load.buffer), index};
}

StoreStatement StatementCopier::Of(const StoreStatement& store) {
  return {BufferNow(store.buffer), Now(store.index), Now(store.value)};
}

ForStatement StatementCopier::Of(const ForStatement& loop) {
  ForStatement copy{.kind = loop.kind, .induction = 0, .extent = loop.extent};
  copy.carried = Begin(loop.carried);
  copy.induction = Define(loop.induction);
  copy.body = Copy(loop.body);
  End(loop.carried, copy.carried);
  return copy;
}

WhileStatement StatementCopier::Of(const WhileStatement& loop) {
  WhileStatement copy;
  copy.carried = Begin(loop.carried);
  copy.condition_body = Copy(loop.condition_body);
  copy.condition = Now(loop.condition);
  copy.body = Copy(loop.body);
  End(loop.carried, copy.carried);
  return copy;
}

IfStatement StatementCopier::Of(const IfStatement& branch) {
  IfStatement copy{.condition = Now(branch.condition), .is_rare = branch.is_rare};
  copy.then_body = Copy(branch.then_body);
  for (Var value : branch.then_values) copy.then_values.push_back(Now(value));
  copy.else_body = Copy(branch.else_body);
  for (Var value : branch.else_values) copy.else_values.push_back(Now(value));
  for (Var result : branch.results) copy.results.push_back(Define(result));
  return copy;
}

Var StatementCopier::Define(Var var) {
  kernel_.var_types.push_back(kernel_.TypeOf(var));
  return values_[var] = static_cast<Var>(kernel_.var_types.size() - 1);
}

uint32_t StatementCopier::BufferNow(uint32_t buffer) const {
  const auto found = buffers_.find(buffer);
  return found == buffers_.end() ? buffer : found->second;
}

std::vector<CarriedValue> StatementCopier::Begin(const std::vector<CarriedValue>& carried) {
  std::vector<CarriedValue> copies = carried;
  for (CarriedValue& value : copies) value.initial = Now(value.initial);
  for (CarriedValue& value : copies) value.current = Define(value.current);
  return copies;
}

void StatementCopier::End(const std::vector<CarriedValue>& carried,
                          std::vector<CarriedValue>& copies) {
  for (CarriedValue& value : copies) value.next = Now(value.next);
  for (size_t i = 0; i < carried.size(); ++i) copies[i].result = Define(carried[i].result);
}

}  // namespace acceld::kernels
