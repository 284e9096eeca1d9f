#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Prefetches the cache lines that copies of rows are going to write. A loop that copies rows of a
// few cache lines from scattered addresses, as a gather does, waits longer for the lines that it
// writes than for those that it reads, because the lines of each row are requested only when the
// row is written. Runs after the passes that turn loops into copies, and before loops of copies are
// unrolled.
struct PrefetchCopiesPass : llvm::PassInfoMixin<PrefetchCopiesPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace acceld::kernels::cpu
