#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {

// Where a value of a function comes from and how often it is used.
struct ValueUse {
  const ir::Region* region = nullptr;  // of the function, in which the value is defined
  int64_t count = 0;                   // as an operand or the result of a region
};
using ValueUses = absl::flat_hash_map<ir::ValueId, ValueUse>;
ValueUses FindUses(const ir::Function& function);

// Emits parts of values: the elements with given indices in some dimensions. Where elementwise ops
// and broadcasts compute the value, the part is computed by the same ops from parts of their
// operands, so that the parts of one value share what does not depend on the index. Elsewhere the
// part is a slice. What another region defines is not computed again, as that region may be
// executed less often, nor is an op that is costly and has other uses. Single use;
// thread-compatible.
class PartEmitter {
 public:
  // For each dimension the index of the part's elements, or kAll.
  using Place = std::vector<int64_t>;
  static constexpr int64_t kAll = -1;

  // For the op that defines `result`. `uses` are those before the pass.
  PartEmitter(Rewriter& rewriter, const ValueUses& uses, ir::ValueId result, ir::Location location)
      : rewriter_(rewriter), uses_(uses), region_(uses.at(result).region), location_(location) {}

  // Returns the part of `value` at `place`, a tensor without the dimensions that have an index.
  ir::ValueId At(ir::ValueId value, const Place& place);

 private:
  ir::ValueId Emit(ir::ValueId value, const Place& place);
  bool MayRepeat(ir::ValueId value, const ir::Op& op) const;
  ir::ValueId OfElementwise(ir::Op op, const Place& place, ir::TensorType type);
  ir::ValueId OfBroadcast(ir::Op op, const Place& place, ir::TensorType type);
  ir::ValueId Slice(ir::ValueId value, const Place& place, ir::TensorType type);
  ir::ValueId Reshape(ir::ValueId value, ir::TensorType type);

  Rewriter& rewriter_;
  const ValueUses& uses_;
  const ir::Region* const region_;
  const ir::Location location_;
  absl::flat_hash_map<std::pair<ir::ValueId, Place>, ir::ValueId> parts_;  // those emitted so far
  int num_emitted_ = 0;
};

}  // namespace acceld::compiler
