#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Says of simple innermost loops how wide their vectors are and how many are interleaved. LLVM's
// vectorizer then neither compares the ways to do it nor adds a second, narrower vector loop for
// the few elements that remain, which together are a third of what such a loop takes to compile.
// Simple: one block, every access to memory in order or to one place, elements of 32 or 64 bits.
// Right before the vectorizer.
struct LoopHintsPass : llvm::PassInfoMixin<LoopHintsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace acceld::kernels::cpu
