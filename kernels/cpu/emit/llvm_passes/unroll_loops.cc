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

// So many instructions, turns times those of one, are more than LLVM unrolls a loop to unless it
// expects nearly all of them to be folded; and so many of one that runs nobody knows how often,
// more than it repeats. Counting is much cheaper than its own estimate.
constexpr uint64_t kMostUnrolled = 640, kMostRepeated = 400;
// What vectors leave over has less to fold.
constexpr uint64_t kMostUnrolledRest = 320;

// Of vectors: after so many turns of a few each, registers can't hold what the turns have.
constexpr uint64_t kMostVectorTurns = 8;

bool HasVectors(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      return (store == nullptr ? instruction.getType() : store->getValueOperand()->getType())
          ->isVectorTy();
    });
  });
}

// What copies whole pieces of memory has nothing to gain by more of them in a turn.
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

// Whether LLVM might repeat its body, as often as it runs or some times. Loops that stay loops are
// not worth having more than once.
bool IsWorthAsking(const llvm::Loop& loop, llvm::ScalarEvolution& scev, uint64_t most_unrolled) {
  const uint64_t turns = scev.getSmallConstantTripCount(&loop);
  const uint64_t size = NumInstructions(loop);
  if (turns > kMostVectorTurns && HasVectors(loop)) return false;
  const auto is_worth_asking = [&](const llvm::Loop* inner) {
    return IsWorthAsking(*inner, scev, most_unrolled);
  };
  if (!llvm::all_of(loop, is_worth_asking)) return false;
  return turns == 0 ? size <= kMostRepeated && !HasCopies(loop) : turns * size <= most_unrolled;
}

struct UnrollIfShort : llvm::PassInfoMixin<UnrollIfShort> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results,
                              llvm::LPMUpdater& updater) {
    if (!IsWorthAsking(loop, results.SE, kMostUnrolled)) return llvm::PreservedAnalyses::all();
    return llvm::LoopFullUnrollPass().run(loop, analyses, results, updater);
  }
};

size_t NumLoops(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder().size();
}

}  // namespace

llvm::PreservedAnalyses RemoveEmptyRestsPass::run(llvm::Function& function,
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
        return IsWorthAsking(*loop, scev, kMostUnrolled);
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

llvm::PreservedAnalyses UnrollRestsPass::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager& analyses) {
  auto& scev = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool all_long = true;
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (scev.getSmallConstantTripCount(loop) > longest_ ||
        !IsWorthAsking(*loop, scev, kMostUnrolledRest)) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
    } else {
      all_long = false;
    }
  }
  if (all_long) return llvm::PreservedAnalyses::all();
  // No parts of long loops: those of vectors would be copies of what is interleaved anyway.
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
