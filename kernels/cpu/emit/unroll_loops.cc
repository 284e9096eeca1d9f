#include "kernels/cpu/emit/unroll_loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace acceld::kernels::cpu {
namespace {

// So many copies of even the smallest body are more than LLVM would make.
constexpr unsigned kLongestUnrolled = 150;

struct UnrollIfShort : llvm::PassInfoMixin<UnrollIfShort> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results,
                              llvm::LPMUpdater& updater) {
    if (results.SE.getSmallConstantTripCount(&loop) > kLongestUnrolled) {
      return llvm::PreservedAnalyses::all();
    }
    return llvm::LoopFullUnrollPass().run(loop, analyses, results, updater);
  }
};

size_t NumLoops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder().size();
}

}  // namespace

llvm::PreservedAnalyses UnrollShortLoopsPass::run(llvm::Function& function,
                                                  llvm::FunctionAnalysisManager& analyses) {
  const size_t num_loops = NumLoops(function, analyses);
  llvm::FunctionPassManager unroll;
  unroll.addPass(llvm::createFunctionToLoopPassAdaptor(UnrollIfShort()));
  llvm::PreservedAnalyses preserved = unroll.run(function, analyses);
  if (NumLoops(function, analyses) != num_loops) preserved.intersect(then_.run(function, analyses));
  return preserved;
}

llvm::PreservedAnalyses UnrollRestsPass::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager& analyses) {
  auto& scev = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (scev.getSmallConstantTripCount(loop) > longest_) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
    }
  }
  // No parts of long loops: those of vectors would be copies of what is interleaved anyway.
  return llvm::LoopUnrollPass(llvm::LoopUnrollOptions(/*OptLevel=*/2)
                                  .setPartial(false)
                                  .setFullUnrollMaxCount(longest_))
      .run(function, analyses);
}

}  // namespace acceld::kernels::cpu
