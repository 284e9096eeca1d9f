#include "kernels/cpu/emit/math/vector_reductions.h"

#include <numeric>
#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace acceld::kernels::cpu {
namespace {

using Builder = llvm::IRBuilder<>;

// The size of the shortest vector registers.
constexpr unsigned kShortestBits = 128;

std::vector<int> Numbers(int first, int count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// Generates one step of the reduction `call`; null if it is no reduction whose steps may be
// regrouped.
llvm::Value* Combine(Builder& b, const llvm::IntrinsicInst& call, llvm::Value* x, llvm::Value* y) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::vector_reduce_add:
      return b.CreateAdd(x, y);
    case llvm::Intrinsic::vector_reduce_fadd:
      return b.CreateFAdd(x, y);
    case llvm::Intrinsic::vector_reduce_fmul:
      return b.CreateFMul(x, y);
    case llvm::Intrinsic::vector_reduce_smax:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
    case llvm::Intrinsic::vector_reduce_smin:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
    default:
      return nullptr;
  }
}

}  // namespace

llvm::PreservedAnalyses ExpandReductionsPass::run(llvm::Function& function,
                                                  llvm::FunctionAnalysisManager&) {
  std::vector<llvm::IntrinsicInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr) continue;
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::vector_reduce_fadd:
      case llvm::Intrinsic::vector_reduce_fmul:
        if (!call->hasAllowReassoc()) continue;
        break;
      case llvm::Intrinsic::vector_reduce_add:
      case llvm::Intrinsic::vector_reduce_smax:
      case llvm::Intrinsic::vector_reduce_smin:
        break;
      default:
        continue;
    }
    calls.push_back(call);
  }
  bool changed = false;
  for (llvm::IntrinsicInst* call : calls) {
    llvm::Value* vector = call->getArgOperand(call->arg_size() - 1);
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
    if (type == nullptr || !llvm::isPowerOf2_32(type->getNumElements())) continue;
    const unsigned element_bits = type->getScalarSizeInBits();
    int lanes = type->getNumElements();
    Builder b(call);
    if (llvm::isa<llvm::FPMathOperator>(call)) b.setFastMathFlags(call->getFastMathFlags());
    for (; lanes * element_bits > kShortestBits; lanes /= 2) {
      vector = Combine(b, *call, b.CreateShuffleVector(vector, Numbers(0, lanes / 2)),
                       b.CreateShuffleVector(vector, Numbers(lanes / 2, lanes / 2)));
    }
    const int all = lanes;
    for (; lanes > 1; lanes /= 2) {
      std::vector<int> high = Numbers(lanes / 2, lanes / 2);
      high.resize(all, -1);
      vector = Combine(b, *call, vector, b.CreateShuffleVector(vector, high));
    }
    llvm::Value* result = b.CreateExtractElement(vector, uint64_t{0});
    if (call->arg_size() == 2) result = Combine(b, *call, call->getArgOperand(0), result);
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace acceld::kernels::cpu
