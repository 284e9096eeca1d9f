#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Replaces divisions of f32 vectors by a loop-invariant divisor, for example of a row by its sum,
// with multiplications. The reciprocal is computed before the loop, and fused multiply-adds correct
// the product in the loop (Brisebarre, Muller and Raina, Accelerating Correctly Rounded
// Floating-Point Division when the Divisor Is Known in Advance, IEEE Transactions on Computers
// 53(8), 2004). Quotients are correctly rounded, except where the dividend is below 2^-100 or the
// result is subnormal: these may be a neighbour of the nearest float. Runs after vectorization.
// Does nothing for targets without fused multiply-add.
class DivideByInvariantsPass : public llvm::PassInfoMixin<DivideByInvariantsPass> {
 public:
  explicit DivideByInvariantsPass(const CodeContext& code) : code_(code) {}
  llvm::PreservedAnalyses run(llvm::Function& function,
                              llvm::FunctionAnalysisManager& analyses) const;

 private:
  const CodeContext& code_;
};

}  // namespace acceld::kernels::cpu
