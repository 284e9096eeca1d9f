#pragma once

#include <utility>

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// LLVM's passes that unroll loops estimate what each loop's instructions cost before they look how
// often it runs, which takes longer than all other work on a long loop's vectors. These count
// first.

// Removes the loops for what vectors leave over where they leave nothing, before others read them.
struct RemoveEmptyRestsPass : llvm::PassInfoMixin<RemoveEmptyRestsPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Unrolls short loops as a whole, then runs `then` on functions that had such loops.
class UnrollShortLoopsPass : public llvm::PassInfoMixin<UnrollShortLoopsPass> {
 public:
  explicit UnrollShortLoopsPass(llvm::FunctionPassManager then) : then_(std::move(then)) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  llvm::FunctionPassManager then_;
};

// Unrolls loops of at most `longest` iterations as a whole, and runs several iterations at a time
// of those whose length nobody knows, but for the rest that vectors leave over; then runs `then` on
// functions that had such loops.
class UnrollRestsPass : public llvm::PassInfoMixin<UnrollRestsPass> {
 public:
  UnrollRestsPass(unsigned longest, llvm::FunctionPassManager then)
      : longest_(longest), then_(std::move(then)) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  unsigned longest_;
  llvm::FunctionPassManager then_;
};

}  // namespace acceld::kernels::cpu
