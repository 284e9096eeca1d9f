#pragma once

#include "kernels/ir/build/statement_writer.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// The frame of a pass that puts other statements in place of loops: a copy of the kernel in which
// all else stays, and each outermost loop becomes what RewriteLoop appends.
class LoopRewriter {
 public:
  explicit LoopRewriter(const Kernel& kernel) : out_(kernel), w_(out_) {}
  virtual ~LoopRewriter() = default;
  LoopRewriter(const LoopRewriter&) = delete;
  LoopRewriter& operator=(const LoopRewriter&) = delete;

  Kernel Run();

 protected:
  // Appends to `w_` what is to stand for the loop. Loops inside are its affair (Rewrite).
  virtual void RewriteLoop(const ForStatement& loop) = 0;
  // The statements of a block with its loops rewritten.
  Block Rewrite(const Block& block);

  Kernel out_;
  StatementWriter w_;
};

}  // namespace acceld::kernels
