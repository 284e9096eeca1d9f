#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {

// How often each value of a function is an operand or the result of a region.
using UseCounts = absl::flat_hash_map<ir::ValueId, int64_t>;
UseCounts CountUses(const ir::Function& function);

// Emits parts of values: the elements with given indices in some dimensions. Where elementwise ops
// and broadcasts compute the value, the part is computed by the same ops from parts of their
// operands, so that the parts of one value share what does not depend on the index. Elsewhere the
// part is a slice. An op that is costly and has other uses is not repeated. Single use;
// thread-compatible.
class PartEmitter {
 public:
  // For each dimension the index of the part's elements, or kAll.
  using Place = std::vector<int64_t>;
  static constexpr int64_t kAll = -1;

  // The counts are those before the pass; values that the pass has made count as used once.
  PartEmitter(Rewriter& rewriter, const UseCounts& uses, ir::Location location)
      : rewriter_(rewriter), uses_(uses), location_(location) {}

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
  const UseCounts& uses_;
  const ir::Location location_;
  absl::flat_hash_map<std::pair<ir::ValueId, Place>, ir::ValueId> parts_;  // those emitted so far
  int num_emitted_ = 0;
};

}  // namespace acceld::compiler
