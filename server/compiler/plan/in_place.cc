#include "server/compiler/plan/in_place.h"

#include <cstdint>
#include <functional>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "kernels/ir/build/loop_nests.h"

namespace acceld::compiler {
namespace {

constexpr size_t kMaxResults = 32;

bool SameBytes(const ir::TensorType& a, const ir::TensorType& b) {
  return a.size_bytes() == b.size_bytes() &&
         ir::StorageBytesOf(a.dtype) == ir::StorageBytesOf(b.dtype);
}

// Bit masks of the results that read a value at all, and of those that read it at another position
// than the one that they write.
struct Readers {
  uint32_t all = 0, elsewhere = 0;
};

}  // namespace

std::vector<Overwriters> FindOverwriters(const ir::Function& function, const ir::Op& op) {
  std::vector<Overwriters> out(op.operands.size());
  if (ir::FamilyOf(op.kind) == ir::OpFamily::kElementwise) {
    for (size_t i = 0; i < out.size(); ++i) {
      const ir::TensorType& operand = function.TensorOf(op.operands[i]);
      const ir::TensorType& result = function.TensorOf(op.results[0]);
      if (operand.dims == result.dims && SameBytes(operand, result)) out[i].results = 1;
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
    // A reshape keeps the position of each element in memory.
    const bool keeps_position = ir::FamilyOf(inner.kind) == ir::OpFamily::kElementwise ||
                                inner.kind == ir::OpKind::kReshape;
    for (ir::ValueId id : inner.operands) {
      const bool same = keeps_position && function.TensorOf(id).num_elements() ==
                                              function.TensorOf(inner.results[0]).num_elements();
      Readers& of_operand = readers[id];
      of_operand.all |= own.all;
      of_operand.elsewhere |= same ? own.elsewhere : own.all;
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const Readers own = readers[region.parameters[i]];
    if (own.elsewhere != 0) continue;
    for (size_t r = 0; r < op.results.size(); ++r) {
      const uint32_t bit = uint32_t{1} << r;
      if ((own.all & bit) != 0 &&
          SameBytes(function.TensorOf(op.operands[i]), function.TensorOf(op.results[r]))) {
        out[i].results |= bit;
      }
    }
    out[i].has_other_readers = (own.all & (own.all - 1)) != 0;
  }
  return out;
}

bool LoadsBeforeStores(const kernels::Kernel& kernel, uint32_t loaded, uint32_t stored) {
  // A kernel without parallel loops counts as one iteration.
  const kernels::ForStatement* const loop = kernels::OnlyLoop(kernel.body);
  const bool is_nest = loop != nullptr && loop->kind == kernels::ForStatement::Kind::kParallel;
  bool has_stored = false, in_order = true;
  const std::function<void(const kernels::Block&, bool)> visit = [&](const kernels::Block& block,
                                                                     bool is_inside) {
    for (const kernels::Statement& statement : block) {
      if (const auto* load = std::get_if<kernels::LoadStatement>(&statement.value)) {
        in_order &= load->buffer != loaded || !has_stored;
      } else if (const auto* store = std::get_if<kernels::StoreStatement>(&statement.value)) {
        if (store->buffer != stored) continue;
        // Statements inside inner loops may be repeated after the store.
        in_order &= !is_inside;
        has_stored = true;
      } else if (const auto* inner = std::get_if<kernels::ForStatement>(&statement.value)) {
        visit(inner->body, true);
      } else if (const auto* repeated = std::get_if<kernels::WhileStatement>(&statement.value)) {
        visit(repeated->condition_body, true);
        visit(repeated->body, true);
      } else if (const auto* choice = std::get_if<kernels::IfStatement>(&statement.value)) {
        visit(choice->then_body, true);
        visit(choice->else_body, true);
      }
    }
  };
  visit(is_nest ? kernels::NestOf(*loop).body() : kernel.body, false);
  return in_order;
}

}  // namespace acceld::compiler
