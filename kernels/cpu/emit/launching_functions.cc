#include "kernels/cpu/emit/launching_functions.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace acceld::kernels::cpu {
namespace {

// Whether it belongs to a call: its addresses, or what becomes of its status.
bool ServesCalls(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Load:
      return instruction.getType()->isPointerTy();
    case llvm::Instruction::Store:
      return !instruction.getOperand(0)->getType()->isVectorTy();
    case llvm::Instruction::Alloca:
    case llvm::Instruction::Br:
    case llvm::Instruction::Call:
    case llvm::Instruction::GetElementPtr:
    case llvm::Instruction::ICmp:
    case llvm::Instruction::PHI:
    case llvm::Instruction::Ret:
      return !instruction.getType()->isVectorTy();
    default:
      return false;
  }
}

}  // namespace

llvm::PreservedAnalyses TranslateLaunchesQuicklyPass::run(llvm::Function& function,
                                                          llvm::FunctionAnalysisManager& analyses) {
  if (!analyses.getResult<llvm::LoopAnalysis>(function).empty()) {
    return llvm::PreservedAnalyses::all();
  }
  bool calls = false;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!ServesCalls(instruction)) return llvm::PreservedAnalyses::all();
    calls |= llvm::isa<llvm::CallInst>(instruction);
  }
  if (calls) {
    function.addFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::NoInline);  // which the other asks for
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace acceld::kernels::cpu
