#include "client/pjrt/run/entry_tokens.h"

#include <optional>
#include <utility>
#include <vector>

#include "common/ir/attributes/op_attributes.h"
#include "common/ir/types/literal.h"

namespace acceld::pjrt {
namespace {

class TokenReplacer {
 public:
  explicit TokenReplacer(ir::Function& function) : function_(function) {}

  void Run() {
    std::vector<ir::Op> created;
    for (size_t i = 0; i < function_.body.parameters.size(); ++i) {
      ir::ValueId& parameter = function_.body.parameters[i];
      if (!IsToken(parameter)) continue;
      Replicate(function_.parameter_shardings, i);
      // Inside the function, a new token takes the parameter's place.
      const ir::ValueId token = std::exchange(parameter, NewArray());
      created.push_back(
          ir::MakeOp(ir::OpKind::kCreateToken, {}, ir::NoAttributes{}, {token}, ir::Location{}));
    }
    std::vector<ir::Op>& ops = function_.body.ops;
    ops.insert(ops.begin(), std::make_move_iterator(created.begin()),
               std::make_move_iterator(created.end()));
    for (size_t i = 0; i < function_.body.results.size(); ++i) {
      ir::ValueId& result = function_.body.results[i];
      if (!IsToken(result)) continue;
      Replicate(function_.result_shardings, i);
      result = NewArray();
      ops.push_back(ir::MakeOp(ir::OpKind::kConstant, {},
                               ir::ConstantAttributes{ir::Literal::Zeros(Type())}, {result},
                               ir::Location{}));
    }
  }

 private:
  static ir::TensorType Type() { return {ir::DType::kI1, {0}}; }
  bool IsToken(ir::ValueId value) const {
    return function_.TypeOf(value).kind() == ir::Type::Kind::kToken;
  }
  // Adapts the sharding of value i, if there is one, to the array: that of a token has no
  // dimensions.
  static void Replicate(std::vector<std::optional<ir::Sharding>>& shardings, size_t i) {
    if (i >= shardings.size() || !shardings[i].has_value()) return;
    shardings[i]->dimensions.assign(1, ir::DimensionSharding());
  }
  ir::ValueId NewArray() {
    function_.value_types.emplace_back(Type());
    return static_cast<ir::ValueId>(function_.value_types.size() - 1);
  }

  ir::Function& function_;
};

}  // namespace

ir::Module ReplaceEntryTokens(ir::Module module, absl::string_view entry) {
  for (ir::Function& function : module.functions) {
    if (function.name == entry) TokenReplacer(function).Run();
  }
  return module;
}

}  // namespace acceld::pjrt
