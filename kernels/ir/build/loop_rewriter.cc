#include "kernels/ir/build/loop_rewriter.h"

#include <utility>
#include <variant>

namespace acceld::kernels {

Kernel LoopRewriter::Run() {
  out_.body = Rewrite(out_.body);
  return std::move(out_);
}

Block LoopRewriter::Rewrite(const Block& block) {
  w_.Open();
  for (const Statement& statement : block) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      RewriteLoop(*loop);
    } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
      WhileStatement copy = *loop;
      copy.condition_body = Rewrite(loop->condition_body);
      copy.body = Rewrite(loop->body);
      w_.Append({std::move(copy)});
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      IfStatement copy = *branch;
      copy.then_body = Rewrite(branch->then_body);
      copy.else_body = Rewrite(branch->else_body);
      w_.Append({std::move(copy)});
    } else {
      w_.Append(statement);
    }
  }
  return w_.Take();
}

}  // namespace acceld::kernels
