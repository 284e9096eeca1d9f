#include "kernels/cpu/emit/llvm_passes/unroll_loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace acceld::kernels::cpu {
namespace {

// Bounds for what LLVM might unroll, which are much cheaper to check than LLVM's own estimate. LLVM
// does not fully unroll a loop to more than kMostUnrolled instructions (trip count times
// instructions of an iteration), unless it expects nearly all of them to be folded. It does not
// repeat the body of a loop of unknown trip count that has more than kMostRepeated instructions.
constexpr uint64_t kMostUnrolled = 640, kMostRepeated = 400;
// The bound for remainder loops, in which less can be folded.
constexpr uint64_t kMaxUnrolledRemainder = 320;

// The most iterations of an unrolled loop with vectors: registers cannot hold the values of more.
constexpr uint64_t kMaxVectorIterations = 8;

bool HasVectors(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      return (store == nullptr ? instruction.getType() : store->getValueOperand()->getType())
          ->isVectorTy();
    });
  });
}

// Loops that copy whole pieces of memory do not gain from unrolling.
bool HasCopies(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, llvm::IsaPred<llvm::MemIntrinsic>);
  });
}

uint64_t NumInstructions(const llvm::Loop& loop) {
  uint64_t count = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) count += block->size();
  return count;
}

// Returns whether LLVM might unroll the loop, fully or partly. A loop that contains loops which are
// not unrolled is not worth unrolling.
bool MayBeUnrolled(const llvm::Loop& loop, llvm::ScalarEvolution& scev, uint64_t most_unrolled) {
  const uint64_t trip_count = scev.getSmallConstantTripCount(&loop);
  const uint64_t size = NumInstructions(loop);
  if (trip_count > kMaxVectorIterations && HasVectors(loop)) return false;
  const auto is_worth_asking = [&](const llvm::Loop* inner) {
    return MayBeUnrolled(*inner, scev, most_unrolled);
  };
  if (!llvm::all_of(loop, is_worth_asking)) return false;
  return trip_count == 0 ? size <= kMostRepeated && !HasCopies(loop)
                         : trip_count * size <= most_unrolled;
}

struct UnrollIfShort : llvm::PassInfoMixin<UnrollIfShort> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results,
                              llvm::LPMUpdater& updater) {
    if (!MayBeUnrolled(loop, results.SE, kMostUnrolled)) return llvm::PreservedAnalyses::all();
    return llvm::LoopFullUnrollPass().run(loop, analyses, results, updater);
  }
};

size_t NumLoops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder().size();
}

}  // namespace

llvm::PreservedAnalyses RemoveEmptyRemaindersPass::run(llvm::Function& function,
                                                       llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::BasicBlock& block : function) changed |= llvm::ConstantFoldTerminator(&block);
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::removeUnreachableBlocks(function);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses UnrollShortLoopsPass::run(llvm::Function& function,
                                                  llvm::FunctionAnalysisManager& analyses) {
  auto& scev = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  const auto loops = analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder();
  if (llvm::none_of(loops, [&](const llvm::Loop* loop) {
        return MayBeUnrolled(*loop, scev, kMostUnrolled);
      })) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::FunctionPassManager unroll;
  unroll.addPass(llvm::createFunctionToLoopPassAdaptor(UnrollIfShort()));
  llvm::PreservedAnalyses preserved = unroll.run(function, analyses);
  if (NumLoops(function, analyses) != loops.size()) {
    preserved.intersect(then_.run(function, analyses));
  }
  return preserved;
}

llvm::PreservedAnalyses UnrollRemaindersPass::run(llvm::Function& function,
                                                  llvm::FunctionAnalysisManager& analyses) {
  auto& scev = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool all_long = true;
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (scev.getSmallConstantTripCount(loop) > longest_ ||
        !MayBeUnrolled(*loop, scev, kMaxUnrolledRemainder)) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
    } else {
      all_long = false;
    }
  }
  if (all_long) return llvm::PreservedAnalyses::all();
  // Long loops are not partly unrolled: vectorized loops are interleaved already.
  llvm::PreservedAnalyses preserved =
      llvm::LoopUnrollPass(
          llvm::LoopUnrollOptions(/*OptLevel=*/2).setPartial(false).setFullUnrollMaxCount(longest_))
          .run(function, analyses);
  if (preserved.areAllPreserved()) return preserved;
  analyses.invalidate(function, preserved);
  preserved.intersect(then_.run(function, analyses));
  return preserved;
}

}  // namespace acceld::kernels::cpu
