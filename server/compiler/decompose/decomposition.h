#pragma once

#include <vector>

#include "common/ir/builder.h"
#include "common/ir/emitter.h"
#include "common/ir/module.h"
#include "common/status.h"

// The interface by which the pass of decompose.h replaces one op by more basic ops.
namespace acceld::compiler {

// The replacement of one op under construction. It is built as a function whose parameters stand
// for the op's operands; the pass then inlines that function where the op was. Thread-compatible.
// One object serves for one op.
class Decomposition {
 public:
  // Begins the replacement of `op`, an op of `function`. Keeps references to both, which must
  // outlive this object.
  Decomposition(const ir::Function& function, const ir::Op& op);

  const ir::Function& function() const { return function_; }
  const ir::Op& op() const { return op_; }
  template <typename Attributes>
  const Attributes& As() const {
    return op_.As<Attributes>();
  }
  const ir::TensorType& OperandType(size_t i) const { return function_.TensorOf(op_.operands[i]); }
  const ir::TensorType& ResultType(size_t i) const { return function_.TensorOf(op_.results[i]); }

  // The builder of the replacement. The ids that the next two functions return are values of it.
  ir::FunctionBuilder& builder() { return builder_; }
  // Adds ops to it, with the source location of the op that is being replaced.
  ir::Emitter Emit() { return ir::Emitter(builder_, op_.location); }
  // Returns the parameter that stands for operand i of the op.
  ir::ValueId operand(size_t i) const { return operands_[i]; }
  // Adds a parameter to the replacement that stands for `outer`, a value of function() that is not
  // an operand of the op (the op's regions may use it), and returns that parameter.
  ir::ValueId Capture(ir::ValueId outer);

  // Returns the values of function() that are to be passed to the replacement, one for each of its
  // parameters, in order: the operands, then the captured values.
  const std::vector<ir::ValueId>& arguments() const { return arguments_; }
  // Ends the construction and returns the replacement. `results` stand for the op's results.
  ir::Function Finish(std::vector<ir::ValueId> results) {
    return builder_.Finish(std::move(results));
  }

 private:
  const ir::Function& function_;
  const ir::Op& op_;
  ir::FunctionBuilder builder_;
  std::vector<ir::ValueId> operands_, arguments_;
};

// The values of the replacement that stand for the op's results: one for each, of the same type.
using DecompositionResult = absl::StatusOr<std::vector<ir::ValueId>>;

// Declares a function Decompose<Kind> for every op of OpFamily::kDerived; a missing definition is a
// link error. Each function builds the replacement of d.op(), which is verified and has static
// shapes.
#define ACCELD_DERIVED_OP(Kind, ...) DecompositionResult Decompose##Kind(Decomposition& d);
#include "common/ir/ops.def"

}  // namespace acceld::compiler
