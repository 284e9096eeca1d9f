#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Fetches ahead the lines that copies of rows are going to write. A loop that copies rows of a few
// cache lines from anywhere, as a gather does, waits for lines to write to more than for those that
// it reads: they come one row at a time, and each is written too soon. Stands behind the passes
// that make copies out of loops, and before loops of copies are unrolled.
struct PrefetchCopiesPass : llvm::PassInfoMixin<PrefetchCopiesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace acceld::kernels::cpu
