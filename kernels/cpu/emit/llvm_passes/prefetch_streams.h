#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Prefetches what loops read of large buffers, a vector after the other: of rows that several loops
// go through, the next row while this one is worked on, and some rows later ones into the second
// cache, so that memory is busy while the processor computes; of others, what comes next, past a
// page's end too, where the processor's own prefetching stops. After vectorization.
class PrefetchStreamsPass : public llvm::PassInfoMixin<PrefetchStreamsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace acceld::kernels::cpu
