#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Expands reductions of a vector's elements, such as their sum or the largest one, into operations
// on the two halves of the vector, then on the halves of the result, and so on, in types that fit
// registers. LLVM's own expansion keeps the type of the whole vector, and then spends more time on
// finding out that most lanes are unused than on the loop around it. The order in which elements
// are combined is the same. Runs after vectorization.
struct ExpandReductionsPass : llvm::PassInfoMixin<ExpandReductionsPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace acceld::kernels::cpu
