#pragma once

#include <vector>

#include "common/ir/builder.h"
#include "common/ir/module.h"
#include "server/compiler/spmd/exchange.h"
#include "server/compiler/spmd/factor_rule.h"

namespace acceld::compiler::spmd {

// Whether indices of this type can be made relative to a shard.
bool MayShiftIndices(ir::DType dtype);

// Lets a gather or a scatter find its elements in a shard of its operand, along those dimensions
// that are divided and indexed (FactorRule). Must not outlive its arguments. Thread-compatible.
class IndexedOp {
 public:
  // `whole` is the type of the op's first operand and `layout` that of its shard.
  IndexedOp(ir::FunctionBuilder& builder, Exchange& exchange, const CanonicalMesh& mesh,
            const ir::Op& op, const FactorRule& rule, const ir::TensorType& whole,
            const Layout& layout);

  // Whether any dimension is divided and indexed. If none is, the other functions do nothing.
  bool IsNeeded() const { return is_needed_; }
  // Returns the indices relative to the shard. Those of a scatter that lie outside of the shard lie
  // outside of it afterwards too.
  ir::ValueId Shift(ir::ValueId indices);
  // Returns the result of a gather with zeros where the indices, which Shift must have been given,
  // lie outside of the shard. The sum of the results along the axes is the result of the whole.
  ir::ValueId Masked(ir::ValueId gathered);

 private:
  // What one component of the index vectors says.
  struct Component {
    int64_t last = 0;  // the largest start of a slice in the whole operand
    Axes axes;         // of its dimension, if it is divided
    int64_t size = 0;  // of the dimension in the shard
  };

  // Returns a tensor like the indices, whose components are these scalars.
  ir::ValueId Components(const std::vector<ir::ValueId>& scalars);

  ir::Emitter emit_;
  Exchange& exchange_;
  const ir::Op& op_;
  std::vector<Component> components_;
  int64_t index_vector_dim_ = 0;
  bool is_needed_ = false;
  ir::ValueId indices_ = 0;  // those that Shift has returned
};

}  // namespace acceld::compiler::spmd
