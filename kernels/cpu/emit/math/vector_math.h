#pragma once

#include <vector>

#include "kernels/cpu/emit/code_context.h"
#include "kernels/cpu/emit/math/math_functions.h"
#include "llvm/IR/PassManager.h"

// Math functions that stay calls until loops have become vectors: what runs before has little code
// to look at, and what they are made of is chosen by the width of the vector. Where a function has
// many calls of one of them, they stay calls: of one copy of the body.
namespace acceld::kernels::cpu {

// The declared function of one f32 that stands for a call of the math function `name`.
llvm::Function* VectorMathFunction(CodeContext& code, llvm::StringRef name);

// The attribute of a function whose body shall be inlined: the name of what it computes.
inline constexpr char kInlinedMath[] = "acceld-inlined-math";

// Has functions with many calls of one that shall be inlined call a declared one instead. Before
// functions are inlined.
struct ShareInlinedMathPass : llvm::PassInfoMixin<ShareInlinedMathPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Tells the vectorizer of the functions' forms for vectors. Before it runs, and after functions
// without calls have been removed.
class DeclareVectorMathPass : public llvm::PassInfoMixin<DeclareVectorMathPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Prints the bodies in place of the calls, but for many of one function. After vectorization.
class ExpandVectorMathPass : public llvm::PassInfoMixin<ExpandVectorMathPass> {
 public:
  explicit ExpandVectorMathPass(const CodeContext& code) : code_(code) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) const;

 private:
  const CodeContext& code_;
};

// Prints the bodies of functions of the module that are still called, as functions of it, and gives
// those: they want all passes of functions.
std::vector<llvm::Function*> DefineCalledMath(const CodeContext& code, llvm::Module& module);

}  // namespace acceld::kernels::cpu
