#include "kernels/cpu/emit/llvm_passes/prefetch_copies.h"

#include <vector>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace acceld::kernels::cpu {
namespace {

constexpr int64_t kLineBytes = 64;
// Shorter copies overlap without prefetches. For longer ones the prefetching of the hardware is
// enough.
constexpr int64_t kMinBytes = 4 * kLineBytes;
constexpr int64_t kMaxBytes = 64 * kLineBytes;
// The distance in rows from the row that is written to the row that is prefetched.
constexpr int64_t kRowsAhead = 2;

// Returns the size of a copy that writes directly behind the bytes that it wrote in the loop's
// previous iteration; 0 for other copies.
int64_t RowBytes(llvm::MemCpyInst& copy, llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution) {
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  const llvm::Loop* loop = loops.getLoopFor(copy.getParent());
  if (length == nullptr || loop == nullptr) return 0;
  const auto bytes = static_cast<int64_t>(length->getLimitedValue(kMaxBytes + 1));
  if (bytes < kMinBytes || bytes > kMaxBytes) return 0;
  const auto* to = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(copy.getRawDest()));
  if (to == nullptr || to->getLoop() != loop) return 0;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(to->getStepRecurrence(evolution));
  return step != nullptr && step->getAPInt() == bytes ? bytes : 0;
}

}  // namespace

llvm::PreservedAnalyses PrefetchCopiesPass::run(llvm::Function& function,
                                                llvm::FunctionAnalysisManager& analyses) {
  std::vector<llvm::MemCpyInst*> copies;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction)) copies.push_back(copy);
  }
  if (copies.empty()) return llvm::PreservedAnalyses::all();
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::MemCpyInst* copy : copies) {
    const int64_t bytes = RowBytes(*copy, loops, evolution);
    llvm::IRBuilder<> builder(copy);
    for (int64_t at = 0; at < bytes; at += kLineBytes) {
      llvm::Value* line = builder.CreateConstGEP1_64(builder.getInt8Ty(), copy->getRawDest(),
                                                     kRowsAhead * bytes + at);
      // The arguments say: for writing, into all cache levels, data.
      builder.CreateIntrinsic(
          llvm::Intrinsic::prefetch, {line->getType()},
          {line, builder.getInt32(1), builder.getInt32(3), builder.getInt32(1)});
    }
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace acceld::kernels::cpu
