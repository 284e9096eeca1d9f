#pragma once

#include <vector>

#include "kernels/cpu/emit/code_context.h"
#include "kernels/cpu/emit/math/math_functions.h"
#include "llvm/IR/PassManager.h"

// Math functions that remain calls until loops have been vectorized, so that the passes before have
// less code to process and the code can be chosen by the width of the vector. If a function of the
// module has many calls of the same math function, they remain calls of one copy of its body.
namespace acceld::kernels::cpu {

// Returns the declared function from f32 to f32 that stands for the math function `name`.
llvm::Function* VectorMathFunction(CodeContext& code, llvm::StringRef name);

// The attribute of a function that is to be inlined and whose body computes a math function. Its
// value is the name of that function.
inline constexpr char kInlinedMath[] = "acceld-inlined-math";

// In functions that have many calls of the same function with the attribute kInlinedMath, replaces
// these with calls of a declared function (as by VectorMathFunction). Runs before inlining.
struct ShareInlinedMathPass : llvm::PassInfoMixin<ShareInlinedMathPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Declares the vector variants of the math functions that VectorMathFunction has declared, and lets
// the vectorizer know them. Runs before vectorization, after uncalled functions have been removed.
class DeclareVectorMathPass : public llvm::PassInfoMixin<DeclareVectorMathPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Replaces the calls of math functions by their bodies, unless there are many calls of the same one
// in a function. Runs after vectorization.
class ExpandVectorMathPass : public llvm::PassInfoMixin<ExpandVectorMathPass> {
 public:
  explicit ExpandVectorMathPass(const CodeContext& code) : code_(code) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) const;

 private:
  const CodeContext& code_;
};

// Defines the math functions of the module that are still called, and returns them. All function
// passes still have to be run on them.
std::vector<llvm::Function*> DefineCalledMath(const CodeContext& code, llvm::Module& module);

}  // namespace acceld::kernels::cpu
