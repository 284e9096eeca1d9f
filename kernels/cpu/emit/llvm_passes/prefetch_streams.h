#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Adds prefetches to loops that read large buffers sequentially by vectors. If several loops go
// through the same rows, the next row is prefetched into the first-level cache while the current
// one is processed, and a row several rows later into the second-level cache, so that memory is
// busy while the processor computes. For other loops, data a fixed distance ahead is prefetched,
// also beyond the end of a page, where the prefetching of the hardware stops. Runs after
// vectorization.
class PrefetchStreamsPass : public llvm::PassInfoMixin<PrefetchStreamsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace acceld::kernels::cpu
