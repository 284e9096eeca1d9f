#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Prints what becomes of a vector's elements (their sum, their largest one) as operations on halves
// of the vector, then on halves of these, in types that registers have: LLVM's own expansion stays
// at the whole vector's type, and then spends more on finding out that most lanes are not used than
// on the loop around. Elements are combined in the same order. After vectorization.
struct ExpandReductionsPass : llvm::PassInfoMixin<ExpandReductionsPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace acceld::kernels::cpu
