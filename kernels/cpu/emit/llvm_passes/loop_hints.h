#pragma once

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Sets the vector width and the interleave count of simple innermost loops
// (llvm.loop.vectorize.width and llvm.loop.interleave.count). LLVM's vectorizer then neither
// compares the alternatives nor adds a second, narrower vector loop for the few remaining elements;
// together these are a third of the time to compile such a loop. A loop is simple if it is one
// basic block, all its memory accesses are consecutive or to one address, and its elements have 32
// or 64 bits. Runs right before the vectorizer.
struct LoopHintsPass : llvm::PassInfoMixin<LoopHintsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace acceld::kernels::cpu
