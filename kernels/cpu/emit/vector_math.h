#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "kernels/cpu/emit/math_functions.h"
#include "llvm/IR/PassManager.h"

// Math functions that stay calls until loops have become vectors: what runs before has little code
// to look at, and what they are made of is chosen by the width of the vector.
namespace acceld::kernels::cpu {

// The declared function of one f32 that stands for a call of the math function `name`.
llvm::Function* VectorMathFunction(CodeContext& code, llvm::StringRef name);

// Tells the vectorizer of the functions' forms for vectors. Before it runs, and after functions
// without calls have been removed.
class DeclareVectorMathPass : public llvm::PassInfoMixin<DeclareVectorMathPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Prints the bodies in place of the calls. After vectorization.
class ExpandVectorMathPass : public llvm::PassInfoMixin<ExpandVectorMathPass> {
 public:
  explicit ExpandVectorMathPass(const CodeContext& code) : code_(code) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) const;

 private:
  const CodeContext& code_;
};

}  // namespace acceld::kernels::cpu
