#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Prints the larger and the smaller of two vectors, and of a vector's elements, with NaN and zeros
// as IEEE 754 has them, in fewer and quicker instructions than LLVM's own way on x86: there the
// instruction gives its second operand for NaN and for zeros of either sign, so two of them with
// the operands swapped know all. After vectorization.
class ExpandVectorExtremaPass : public llvm::PassInfoMixin<ExpandVectorExtremaPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace acceld::kernels::cpu
