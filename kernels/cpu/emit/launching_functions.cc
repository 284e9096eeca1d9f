#include "kernels/cpu/emit/launching_functions.h"

#include <utility>

#include "kernels/cpu/support_abi.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace acceld::kernels::cpu {
namespace {

// Returns whether an instruction may serve a call: it computes addresses, or branches on the
// status.
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

std::vector<TileLaunch> FindLaunches(const llvm::Function& kernel) {
  std::vector<TileLaunch> launches;
  llvm::Function* tile = nullptr;  // the tile function of the next call
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Alloca:
      case llvm::Instruction::Br:
      case llvm::Instruction::GetElementPtr:
      case llvm::Instruction::PHI:
      case llvm::Instruction::Ret:
        break;
      case llvm::Instruction::ICmp:
        // A comparison of anything but a call's status belongs to a loop.
        if (!llvm::isa<llvm::CallInst>(instruction.getOperand(0))) return {};
        break;
      case llvm::Instruction::Store: {
        llvm::Value* stored = instruction.getOperand(0);
        if (auto* function = llvm::dyn_cast<llvm::Function>(stored)) {
          tile = function;
        } else if (!llvm::isa<llvm::Argument>(stored)) {
          return {};
        }
        break;
      }
      case llvm::Instruction::Call: {
        const auto& call = llvm::cast<llvm::CallInst>(instruction);
        const llvm::Function* called = call.getCalledFunction();
        if (called == nullptr || called->getName() != kParallelForPointersSymbol ||
            tile == nullptr) {
          return {};
        }
        const auto* num_tiles = llvm::cast<llvm::ConstantInt>(call.getArgOperand(3));
        launches.push_back({std::exchange(tile, nullptr), num_tiles->getSExtValue()});
        break;
      }
      default:
        return {};
    }
  }
  return launches;
}

bool OnlyCalls(const llvm::Function& function) {
  bool calls = false;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!ServesCalls(instruction)) return false;
    calls |= llvm::isa<llvm::CallInst>(instruction);
  }
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> back_edges;
  llvm::FindFunctionBackedges(function, back_edges);
  return calls && back_edges.empty();
}

void DisableOptimization(llvm::Function& function) {
  function.addFnAttr(llvm::Attribute::OptimizeNone);
  function.addFnAttr(llvm::Attribute::NoInline);  // required by optnone
}

}  // namespace acceld::kernels::cpu
