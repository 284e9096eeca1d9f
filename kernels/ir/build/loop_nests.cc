#include "kernels/ir/build/loop_nests.h"

#include <utility>
#include <variant>

namespace acceld::kernels {

ParallelNest NestOf(const ForStatement& loop) {
  ParallelNest nest;
  for (const ForStatement* at = &loop; at != nullptr && at->kind == ForStatement::Kind::kParallel;
       at = OnlyLoop(at->body)) {
    nest.loops.push_back(at);
    nest.iterations *= at->extent;
  }
  return nest;
}

const ForStatement* OnlyLoop(const Block& block) {
  return block.size() == 1 ? std::get_if<ForStatement>(&block[0].value) : nullptr;
}

size_t CountStatements(const Block& block) {
  size_t count = block.size();
  for (const Statement& statement : block) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      count += CountStatements(loop->body);
    } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
      count += CountStatements(loop->condition_body) + CountStatements(loop->body);
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      count += CountStatements(branch->then_body) + CountStatements(branch->else_body);
    }
  }
  return count;
}

absl::flat_hash_set<const Statement*> SliceOf(const Block& block, absl::flat_hash_set<Var> values) {
  absl::flat_hash_set<const Statement*> slice;
  for (auto at = block.rbegin(); at != block.rend(); ++at) {
    if (const auto* constant = std::get_if<ConstantStatement>(&at->value)) {
      if (values.contains(constant->result)) slice.insert(&*at);
    } else if (const auto* scalar = std::get_if<ScalarStatement>(&at->value)) {
      if (!values.contains(scalar->result)) continue;
      slice.insert(&*at);
      values.insert(scalar->operands.begin(), scalar->operands.end());
    } else if (const auto* load = std::get_if<LoadStatement>(&at->value)) {
      if (!values.contains(load->result)) continue;
      slice.insert(&*at);
      values.insert(load->index);
    }
  }
  return slice;
}

}  // namespace acceld::kernels
