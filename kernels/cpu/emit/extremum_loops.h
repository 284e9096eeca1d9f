#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// Loops that take the largest or the smallest element of vectors, with NaN and zeros as IEEE 754
// has them, in two instructions a vector. x86's own instruction for the extremum of two vectors
// does, but for NaN and for which of two zeros it gives; so loops collect, of two vectors at a
// time, whether any element is NaN and which signs there are, and correct the result behind the
// loop. After vectorization, before ExpandVectorExtremaPass, which does all others.
class ExtremumLoopsPass : public llvm::PassInfoMixin<ExtremumLoopsPass> {
 public:
  explicit ExtremumLoopsPass(const CodeContext& code) : code_(code) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) const;

 private:
  const CodeContext& code_;
};

}  // namespace acceld::kernels::cpu
