#include "kernels/cpu/emit/llvm_passes/loop_hints.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace acceld::kernels::cpu {
namespace {

using llvm::Instruction;

// Scalar code may process one remaining element for this many whole vectors; such an element takes
// about the time of a vector.
constexpr uint64_t kVectorsPerRemainder = 64;

// Interleaving needs at least this many iterations of the interleaved loop to be worth the code.
constexpr uint64_t kFewestInterleaved = 4;

// The number of instructions that one of these becomes in the end: a math function becomes a
// polynomial, and a division a product with corrections.
constexpr unsigned kFunctionSize = 24;
constexpr unsigned kQuotientSize = 8;

// Finds the hints for one loop.
class HintFinder {
 public:
  HintFinder(llvm::Loop& loop, llvm::ScalarEvolution& scev, llvm::DominatorTree& dominators,
             const llvm::TargetTransformInfo& target)
      : loop_(loop), scev_(scev), dominators_(dominators), target_(target) {}

  void Apply() {
    if (!loop_.isInnermost() || loop_.getNumBlocks() != 1) return;
    if (llvm::findStringMetadataForLoop(&loop_, "llvm.loop.vectorize.enable")) return;
    for (Instruction& instruction : *loop_.getHeader()) {
      if (!IsSimple(instruction)) return;
    }
    if (widest_bits_ != 32 && widest_bits_ != 64) return;
    const unsigned vector_bits = static_cast<unsigned>(
        target_.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector)
            .getFixedValue());
    const uint64_t width = vector_bits / widest_bits_;
    const uint64_t iterations = scev_.getSmallConstantTripCount(&loop_);
    if (width < 2 || iterations == 0) return;
    for (uint64_t interleaved = MostInterleaved(); interleaved > 0; interleaved /= 2) {
      if (iterations % (width * interleaved) * kVectorsPerRemainder > iterations / width) continue;
      if (interleaved > 1 && iterations < kFewestInterleaved * width * interleaved) continue;
      llvm::addStringMetadataToLoop(&loop_, "llvm.loop.vectorize.width", width);
      llvm::addStringMetadataToLoop(&loop_, "llvm.loop.interleave.count", interleaved);
      return;
    }
  }

 private:
  // Returns the largest interleave count to be tried. Processors overlap several iterations of
  // large bodies by themselves. Loops with carried values need more interleaving, as an iteration's
  // values depend on those of the previous one, unless there is much other work.
  uint64_t MostInterleaved() const {
    const unsigned size = has_carried_ ? size_ / 2 : size_;
    return size >= 16 ? 1 : size >= 4 ? 2 : 4;
  }

  bool IsSimple(Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      return AddElement(load->getType()) && (IsInvariant(load->getPointerOperand()) ||
                                             IsInOrder(load->getPointerOperand(), load->getType()));
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      llvm::Type* type = store->getValueOperand()->getType();
      return AddElement(type) && IsInOrder(store->getPointerOperand(), type);
    }
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      if (phi->getType()->isIntegerTy(64) && scev_.isSCEVable(phi->getType()) &&
          llvm::isa<llvm::SCEVAddRecExpr>(scev_.getSCEV(phi))) {
        return OnlyAddresses(instruction);
      }
      has_carried_ |= phi->getType()->isFloatingPointTy();
      return MayBeSplit(*phi) && AddElement(phi->getType());
    }
    if (instruction.isTerminator()) return true;
    if (instruction.getType()->isPointerTy() || instruction.getType()->isIntegerTy(64)) {
      return OnlyAddresses(instruction);
    }
    if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
      if (compare->getOperand(0)->getType()->isIntegerTy(64)) return EndsLoop(*compare);
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
      const bool has_vectors = !llvm::VFDatabase::getMappings(*call).empty();
      size_ += has_vectors ? kFunctionSize : 1;
      return has_vectors || llvm::isTriviallyVectorizable(call->getIntrinsicID());
    }
    size_ += instruction.getOpcode() == Instruction::FDiv ? kQuotientSize : 1;
    switch (instruction.getOpcode()) {
      case Instruction::UDiv:
      case Instruction::SDiv:
      case Instruction::URem:
      case Instruction::SRem:
      case Instruction::FRem:
        return false;
      default:
        return instruction.getType()->isFloatingPointTy() || instruction.getType()->isIntegerTy();
    }
  }

  // Returns whether the value that `phi` carries may be computed in several parts, or is only a
  // value of the previous iteration. With a hint, LLVM takes that for granted.
  bool MayBeSplit(llvm::PHINode& phi) const {
    if (llvm::RecurrenceDescriptor::isFixedOrderRecurrence(&phi, &loop_, &dominators_)) return true;
    llvm::RecurrenceDescriptor reduction;
    return llvm::RecurrenceDescriptor::isReductionPHI(&phi, &loop_, reduction) &&
           !reduction.hasExactFPMath();
  }

  // Returns whether only addresses and the loop's exit condition depend on the instruction, so that
  // it remains scalar.
  bool OnlyAddresses(const Instruction& instruction) const {
    return llvm::all_of(instruction.users(), [&](const llvm::User* user) {
      const auto* used = llvm::dyn_cast<Instruction>(user);
      if (used == nullptr || !loop_.contains(used)) return false;
      switch (used->getOpcode()) {
        case Instruction::GetElementPtr:
        case Instruction::PHI:
        case Instruction::Load:
          return true;
        case Instruction::Store:
          return used->getOperand(0) != &instruction;
        case Instruction::ICmp:
          return EndsLoop(*used);
        case Instruction::Add:
        case Instruction::Sub:
        case Instruction::Mul:
        case Instruction::Shl:
        case Instruction::Or:
        case Instruction::Trunc:  // the induction variable in a narrower type
          return true;
        default:
          return false;
      }
    });
  }

  bool EndsLoop(const Instruction& compare) const {
    return compare.hasOneUse() && llvm::isa<llvm::BranchInst>(compare.user_back());
  }

  bool IsInvariant(llvm::Value* pointer) {
    return scev_.isLoopInvariant(scev_.getSCEV(pointer), &loop_);
  }

  bool IsInOrder(llvm::Value* pointer, llvm::Type* type) {
    const auto* address = llvm::dyn_cast<llvm::SCEVAddRecExpr>(scev_.getSCEV(pointer));
    if (address == nullptr || address->getLoop() != &loop_ || !address->isAffine()) return false;
    const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(address->getStepRecurrence(scev_));
    const llvm::DataLayout& layout = loop_.getHeader()->getDataLayout();
    return step != nullptr && step->getAPInt() == layout.getTypeStoreSize(type).getFixedValue();
  }

  bool AddElement(llvm::Type* type) {
    widest_bits_ = std::max(widest_bits_, type->getScalarSizeInBits());
    return type->isFloatingPointTy() || type->isIntegerTy();
  }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& scev_;
  llvm::DominatorTree& dominators_;
  const llvm::TargetTransformInfo& target_;
  unsigned widest_bits_ = 0;
  unsigned size_ = 0;  // instructions that are vectorized, without memory accesses
  bool has_carried_ = false;
};

}  // namespace

llvm::PreservedAnalyses LoopHintsPass::run(llvm::Function& function,
                                           llvm::FunctionAnalysisManager& analyses) {
  auto& scev = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  const auto& target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    HintFinder(*loop, scev, dominators, target).Apply();
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace acceld::kernels::cpu
