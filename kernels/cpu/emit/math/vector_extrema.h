#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Expands the maximum and minimum of two vectors, and of the elements of a vector, into fewer and
// faster instructions than LLVM does for x86. NaN and zeros are treated as IEEE 754 defines it.
// x86's own instruction returns its second operand if an operand is NaN or if both are zeros of any
// sign, so that two of them with the operands exchanged cover all cases. Runs after vectorization.
// Does nothing on processors other than x86.
class ExpandVectorExtremaPass : public llvm::PassInfoMixin<ExpandVectorExtremaPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace acceld::kernels::cpu
