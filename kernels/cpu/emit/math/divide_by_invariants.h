#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Divides f32 vectors by what a loop does not change, as a row by its sum, without dividing: the
// reciprocal is taken before the loop, and a fused multiplication and addition makes the quotient
// exact (Brisebarre, Muller and Raina, Accelerating Correctly Rounded Floating-Point Division when
// the Divisor Is Known in Advance, IEEE Transactions on Computers 53(8), 2004). Quotients are
// rounded correctly, but for those of dividends below 2^-100 or with subnormal results, which may
// be the neighbour of what is nearest. For targets with such an operation; after vectorization.
class DivideByInvariantsPass : public llvm::PassInfoMixin<DivideByInvariantsPass> {
 public:
  explicit DivideByInvariantsPass(const CodeContext& code) : code_(code) {}
  llvm::PreservedAnalyses run(llvm::Function& function,
                              llvm::FunctionAnalysisManager& analyses) const;

 private:
  const CodeContext& code_;
};

}  // namespace acceld::kernels::cpu
