#include "server/compiler/plan/in_place.h"

#include <cstdint>

#include "absl/container/flat_hash_map.h"

namespace acceld::compiler {
namespace {

constexpr size_t kMaxResults = 32;

bool SameBytes(const ir::TensorType& a, const ir::TensorType& b) {
  return a.size_bytes() == b.size_bytes() &&
         ir::StorageBytesOf(a.dtype) == ir::StorageBytesOf(b.dtype);
}

// Which results read a value at all, and which at another place than the one they write.
struct Readers {
  uint32_t all = 0, elsewhere = 0;
};

}  // namespace

std::vector<int> ReusableOperands(const ir::Function& function, const ir::Op& op) {
  std::vector<int> out(op.operands.size(), -1);
  if (ir::FamilyOf(op.kind) == ir::OpFamily::kElementwise) {
    for (size_t i = 0; i < out.size(); ++i) {
      const ir::TensorType& operand = function.TensorOf(op.operands[i]);
      const ir::TensorType& result = function.TensorOf(op.results[0]);
      if (operand.dims == result.dims && SameBytes(operand, result)) out[i] = 0;
    }
    return out;
  }
  if (op.kind != ir::OpKind::kFusion || op.results.size() > kMaxResults ||
      op.As<ir::FusionAttributes>().kind != ir::FusionKind::kLoop) {
    return out;
  }
  const ir::Region& region = op.regions[0];
  absl::flat_hash_map<ir::ValueId, Readers> readers;
  for (size_t i = 0; i < region.results.size(); ++i) {
    readers[region.results[i]].all |= uint32_t{1} << i;
  }
  for (size_t i = region.ops.size(); i-- > 0;) {
    const ir::Op& inner = region.ops[i];
    Readers own;
    for (ir::ValueId id : inner.results) {
      own.all |= readers[id].all;
      own.elsewhere |= readers[id].elsewhere;
    }
    // A reshape keeps the place of each element.
    const bool keeps_place = ir::FamilyOf(inner.kind) == ir::OpFamily::kElementwise ||
                             inner.kind == ir::OpKind::kReshape;
    for (ir::ValueId id : inner.operands) {
      const bool same = keeps_place && function.TensorOf(id).num_elements() ==
                                           function.TensorOf(inner.results[0]).num_elements();
      Readers& of_operand = readers[id];
      of_operand.all |= own.all;
      of_operand.elsewhere |= same ? own.elsewhere : own.all;
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const Readers own = readers[region.parameters[i]];
    for (size_t r = 0; r < op.results.size(); ++r) {
      if (own.all == uint32_t{1} << r && own.elsewhere == 0 &&
          SameBytes(function.TensorOf(op.operands[i]), function.TensorOf(op.results[r]))) {
        out[i] = static_cast<int>(r);
      }
    }
  }
  return out;
}

}  // namespace acceld::compiler
