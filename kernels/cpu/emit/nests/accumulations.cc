#include "kernels/cpu/emit/nests/accumulations.h"

#include <utility>

#include "absl/container/flat_hash_map.h"

namespace acceld::kernels::cpu {
namespace {

bool Accumulates(ScalarOp op) {
  return op == ScalarOp::kAdd || op == ScalarOp::kMultiply || op == ScalarOp::kMax ||
         op == ScalarOp::kMin;
}

// What the statements directly in a loop define and read. If there are nested loops or branches,
// which may read anything, no value counts as read once.
class Body {
 public:
  explicit Body(const ForStatement& loop) {
    for (const Statement& statement : loop.body) {
      if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
        definitions_.emplace(scalar->result, scalar);
        for (Var operand : scalar->operands) ++reads_[operand];
      } else if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
        ++reads_[load->index];
      } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
        ++reads_[store->index], ++reads_[store->value];
      } else if (!std::holds_alternative<ConstantStatement>(statement.value)) {
        is_flat_ = false;
      }
    }
    for (const CarriedValue& carried : loop.carried) ++reads_[carried.next];
  }

  // Returns the scalar operation of the body that defines `var`, or null if there is none.
  const ScalarStatement* Definition(Var var) const {
    const auto found = definitions_.find(var);
    return found == definitions_.end() ? nullptr : found->second;
  }

  bool IsReadOnce(Var var) const {
    const auto found = reads_.find(var);
    return is_flat_ && found != reads_.end() && found->second == 1;
  }

 private:
  absl::flat_hash_map<Var, const ScalarStatement*> definitions_;
  absl::flat_hash_map<Var, int> reads_;
  bool is_flat_ = true;
};

absl::optional<Accumulation> FindAccumulation(const Kernel& kernel, const Body& body,
                                              const CarriedValue& carried) {
  const DType dtype = kernel.TypeOf(carried.next);
  if (dtype != DType::kF32 && dtype != DType::kF64) return absl::nullopt;
  const ScalarStatement* last = body.Definition(carried.next);
  if (last == nullptr || !Accumulates(last->op)) return absl::nullopt;
  Accumulation found = {last->op, {}, body.IsReadOnce(carried.current)};
  // Goes from the next value back to the current one, which may be either operand.
  for (Var at = carried.next; at != carried.current;) {
    const ScalarStatement* step = body.Definition(at);
    if (step == nullptr || step->op != found.op) return absl::nullopt;
    Var current = step->operands[0], element = step->operands[1];
    const auto Continues = [&](Var var) {
      const ScalarStatement* before = body.Definition(var);
      return var == carried.current || (before != nullptr && before->op == found.op);
    };
    if (element == carried.current || (current != carried.current && !Continues(current))) {
      std::swap(current, element);
    }
    found.is_private &= body.IsReadOnce(at);
    found.steps.push_back({at, current, element});
    at = current;
  }
  return found;
}

}  // namespace

std::vector<absl::optional<Accumulation>> FindAccumulations(const Kernel& kernel,
                                                            const ForStatement& loop) {
  std::vector<absl::optional<Accumulation>> found;
  const Body body(loop);
  for (const CarriedValue& carried : loop.carried) {
    found.push_back(FindAccumulation(kernel, body, carried));
  }
  return found;
}

std::vector<ColumnStep> FindColumnSteps(const Kernel& kernel, const ForStatement& loop) {
  std::vector<ColumnStep> steps;
  absl::flat_hash_map<Var, uint32_t> loaded;
  absl::flat_hash_map<Var, const ScalarStatement*> scalars;
  for (const Statement& statement : loop.body) {
    if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
      if (load->index == loop.induction) loaded[load->result] = load->buffer;
    } else if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
      scalars[scalar->result] = scalar;
    } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
      const auto found = scalars.find(store->value);
      if (!IsScratch(kernel, store->buffer) || store->index != loop.induction ||
          found == scalars.end() || found->second->operands.size() != 2) {
        continue;
      }
      const auto is_own = [&](Var operand) {
        const auto load = loaded.find(operand);
        return load != loaded.end() && load->second == store->buffer;
      };
      const std::vector<Var>& operands = found->second->operands;
      if (is_own(operands[0]) == is_own(operands[1])) continue;
      steps.push_back({store->buffer, found->second->op, store->value});
    }
  }
  return steps;
}

}  // namespace acceld::kernels::cpu
