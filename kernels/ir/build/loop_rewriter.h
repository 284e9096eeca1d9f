#pragma once

#include "kernels/ir/build/statement_writer.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Base class of passes that replace the loops of a kernel. A pass derives from it, implements
// RewriteLoop and calls Run. For single use.
class LoopRewriter {
 public:
  explicit LoopRewriter(const Kernel& kernel) : out_(kernel), w_(out_) {}
  virtual ~LoopRewriter() = default;
  LoopRewriter(const LoopRewriter&) = delete;
  LoopRewriter& operator=(const LoopRewriter&) = delete;

  // Returns a copy of the kernel in which each ForStatement that is not inside another one is
  // replaced by what RewriteLoop appends for it. All other statements are kept.
  Kernel Run();

 protected:
  // Appends to `w_` the statements that replace the loop. To have loops in the loop's body replaced
  // as well, the implementation calls Rewrite.
  virtual void RewriteLoop(const ForStatement& loop) = 0;
  // Returns the statements of a block with its loops replaced.
  Block Rewrite(const Block& block);

  Kernel out_;         // the copy
  StatementWriter w_;  // writes to `out_`
};

}  // namespace acceld::kernels
