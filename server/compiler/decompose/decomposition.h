#pragma once

#include <vector>

#include "common/ir/builder.h"
#include "common/ir/module.h"
#include "common/status.h"

// How single ops are written as others.
namespace acceld::compiler {

// A decomposition under construction: a function of the op's operands, which replaces the op where
// it stands. Thread-compatible; lives as long as one op is dealt with.
class Decomposition {
 public:
  // Of `op` in `function`; both outlive it.
  Decomposition(const ir::Function& function, const ir::Op& op);

  const ir::Function& function() const { return function_; }
  const ir::Op& op() const { return op_; }
  template <typename Attributes>
  const Attributes& As() const {
    return op_.As<Attributes>();
  }
  const ir::TensorType& OperandType(size_t i) const { return function_.TensorOf(op_.operands[i]); }
  const ir::TensorType& ResultType(size_t i) const { return function_.TensorOf(op_.results[i]); }

  ir::FunctionBuilder& builder() { return builder_; }
  // What stands for operand i.
  ir::ValueId operand(size_t i) const { return operands_[i]; }
  // What stands for another value of the function.
  ir::ValueId Capture(ir::ValueId outer);

  // Of the function around, for the parameters of what Finish gives, in order.
  const std::vector<ir::ValueId>& arguments() const { return arguments_; }
  ir::Function Finish(std::vector<ir::ValueId> results) {
    return builder_.Finish(std::move(results));
  }

 private:
  const ir::Function& function_;
  const ir::Op& op_;
  ir::FunctionBuilder builder_;
  std::vector<ir::ValueId> operands_, arguments_;
};

// One function for every op of OpFamily::kDerived, Decompose<Kind>; one that is missing does not
// link. Each gives one value per result of the op, of its type. The op is verified and static.
using DecompositionResult = absl::StatusOr<std::vector<ir::ValueId>>;
#define ACCELD_DERIVED_OP(Kind, ...) DecompositionResult Decompose##Kind(Decomposition& d);
#include "common/ir/ops.def"

}  // namespace acceld::compiler
