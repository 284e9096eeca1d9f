#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Has functions that do nothing but call others with addresses translated in the quick way, which
// takes a third of the time and costs their calls nothing worth mentioning. The last pass: no other
// may touch them afterwards.
struct TranslateLaunchesQuicklyPass : llvm::PassInfoMixin<TranslateLaunchesQuicklyPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace acceld::kernels::cpu
