#pragma once

#include <utility>

#include "llvm/IR/PassManager.h"

namespace acceld::kernels::cpu {

// LLVM's passes that unroll loops estimate the cost of a loop's instructions before they check its
// trip count, which takes longer than all other work on a vectorized loop with many iterations. The
// passes here check the trip count and the number of instructions first, and leave only loops that
// may be worth it to LLVM's passes.

// Removes the remainder loops of vectorized loops that have no remainder, so that later passes need
// not analyze them.
struct RemoveEmptyRemaindersPass : llvm::PassInfoMixin<RemoveEmptyRemaindersPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Fully unrolls short loops, then runs the passes `then` on functions that had such loops.
class UnrollShortLoopsPass : public llvm::PassInfoMixin<UnrollShortLoopsPass> {
 public:
  explicit UnrollShortLoopsPass(llvm::FunctionPassManager then) : then_(std::move(then)) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  llvm::FunctionPassManager then_;
};

// Fully unrolls loops of at most `longest` iterations. Loops of unknown trip count, except for the
// remainder loops of vectorized loops, are unrolled by several iterations. Then runs the passes
// `then` on functions that had such loops.
class UnrollRemaindersPass : public llvm::PassInfoMixin<UnrollRemaindersPass> {
 public:
  UnrollRemaindersPass(unsigned longest, llvm::FunctionPassManager then)
      : longest_(longest), then_(std::move(then)) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  unsigned longest_;
  llvm::FunctionPassManager then_;
};

}  // namespace acceld::kernels::cpu
