#include "kernels/ir/analysis/uses.h"

#include <variant>

namespace acceld::kernels {
namespace {

class Uses {
 public:
  explicit Uses(absl::FunctionRef<void(Var)> visit) : visit_(visit) {}

  void In(const Statement& statement) {
    std::visit([this](const auto& one) { Visit(one); }, statement.value);
  }
  void In(const Block& block) {
    for (const Statement& statement : block) In(statement);
  }

 private:
  void All(const std::vector<Var>& vars) {
    for (const Var var : vars) visit_(var);
  }
  void All(const std::vector<CarriedValue>& carried) {
    for (const CarriedValue& value : carried) {
      visit_(value.initial);
      visit_(value.next);
    }
  }
  void Visit(const ConstantStatement&) {}
  void Visit(const ScalarStatement& scalar) { All(scalar.operands); }
  void Visit(const LoadStatement& load) { visit_(load.index); }
  void Visit(const StoreStatement& store) {
    visit_(store.index);
    visit_(store.value);
  }
  void Visit(const ForStatement& loop) {
    All(loop.carried);
    In(loop.body);
  }
  void Visit(const WhileStatement& loop) {
    All(loop.carried);
    In(loop.condition_body);
    visit_(loop.condition);
    In(loop.body);
  }
  void Visit(const IfStatement& branch) {
    visit_(branch.condition);
    In(branch.then_body);
    In(branch.else_body);
    All(branch.then_values);
    All(branch.else_values);
  }

  const absl::FunctionRef<void(Var)> visit_;
};

}  // namespace

void ForEachUse(const Statement& statement, absl::FunctionRef<void(Var)> visit) {
  Uses(visit).In(statement);
}

std::vector<int> CountUses(const Kernel& kernel) {
  std::vector<int> uses(kernel.var_types.size());
  Uses([&uses](Var var) { ++uses[var]; }).In(kernel.body);
  return uses;
}

}  // namespace acceld::kernels
