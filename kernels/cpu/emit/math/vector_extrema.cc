#include "kernels/cpu/emit/math/vector_extrema.h"

#include <numeric>
#include <vector>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace acceld::kernels::cpu {
namespace {

using Builder = llvm::IRBuilder<>;

llvm::Value* Bits(Builder& b, llvm::Value* value) {
  return b.CreateBitCast(
      value, llvm::VectorType::getInteger(llvm::cast<llvm::VectorType>(value->getType())));
}

llvm::Value* Minimum(Builder& b, llvm::Value* x, llvm::Value* y) {
  llvm::Value* y_if_equal = b.CreateSelect(b.CreateFCmpOLT(x, y), x, y);
  llvm::Value* x_if_equal = b.CreateSelect(b.CreateFCmpOLT(y, x), y, x);
  // The bitwise or of a NaN with anything is a NaN.
  return b.CreateBitCast(b.CreateOr(Bits(b, y_if_equal), Bits(b, x_if_equal)), x->getType());
}

llvm::Value* Maximum(Builder& b, llvm::Value* x, llvm::Value* y) {
  llvm::Value* y_if_equal = b.CreateSelect(b.CreateFCmpOGT(x, y), x, y);
  llvm::Value* x_if_equal = b.CreateSelect(b.CreateFCmpOGT(y, x), y, x);
  llvm::Value* bits = b.CreateAnd(Bits(b, y_if_equal), Bits(b, x_if_equal));
  return b.CreateSelect(b.CreateFCmpUNO(x, y), llvm::ConstantFP::getNaN(x->getType()),
                        b.CreateBitCast(bits, x->getType()));
}

using Extremum = llvm::Value* (*)(Builder&, llvm::Value*, llvm::Value*);

// Reduces a vector, whose number of elements is a power of two.
llvm::Value* Reduce(Builder& b, llvm::Value* vector, Extremum extremum) {
  for (int lanes = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
       lanes > 1; lanes /= 2) {
    std::vector<int> low(lanes / 2), high(lanes / 2);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), lanes / 2);
    vector = extremum(b, b.CreateShuffleVector(vector, low), b.CreateShuffleVector(vector, high));
  }
  return b.CreateExtractElement(vector, uint64_t{0});
}

bool HasPowerOfTwoLanes(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr && llvm::isPowerOf2_32(vector->getNumElements());
}

// Returns the replacement of an intrinsic call, or null if it is to stay. LLVM's own code is good
// where one operand is a constant.
llvm::Value* Expand(llvm::IntrinsicInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  const bool is_reduction = id == llvm::Intrinsic::vector_reduce_fmaximum ||
                            id == llvm::Intrinsic::vector_reduce_fminimum;
  const bool is_maximum =
      id == llvm::Intrinsic::maximum || id == llvm::Intrinsic::vector_reduce_fmaximum;
  if (!is_maximum && id != llvm::Intrinsic::minimum &&
      id != llvm::Intrinsic::vector_reduce_fminimum) {
    return nullptr;
  }
  if (!HasPowerOfTwoLanes(call.getArgOperand(0)->getType())) return nullptr;
  Builder b(&call);
  const Extremum extremum = is_maximum ? &Maximum : &Minimum;
  if (is_reduction) return Reduce(b, call.getArgOperand(0), extremum);
  llvm::Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  if (llvm::isa<llvm::Constant>(x) || llvm::isa<llvm::Constant>(y)) return nullptr;
  return extremum(b, x, y);
}

}  // namespace

llvm::PreservedAnalyses ExpandVectorExtremaPass::run(llvm::Function& function,
                                                     llvm::FunctionAnalysisManager&) {
  if (!llvm::Triple(function.getParent()->getTargetTriple()).isX86()) {
    return llvm::PreservedAnalyses::all();
  }
  std::vector<llvm::IntrinsicInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) calls.push_back(call);
  }
  bool changed = false;
  for (llvm::IntrinsicInst* call : calls) {
    llvm::Value* expanded = Expand(*call);
    if (expanded == nullptr) continue;
    call->replaceAllUsesWith(expanded);
    call->eraseFromParent();
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace acceld::kernels::cpu
