#include "kernels/cpu/emit/extremum_loops.h"

#include <algorithm>
#include <vector>

#include "absl/types/optional.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Local.h"

namespace acceld::kernels::cpu {
namespace {

// A carried vector of a loop of one block, of which each iteration takes the extremum with another.
struct Accumulator {
  llvm::PHINode* current;
  llvm::IntrinsicInst* next;
  llvm::Value* element;
  llvm::Constant* initial;

  llvm::BasicBlock* loop() const { return current->getParent(); }
};

llvm::BasicBlock* BlockBefore(const llvm::PHINode& phi) {
  return phi.getIncomingBlock(phi.getIncomingBlock(0) == phi.getParent() ? 1 : 0);
}

// The one whose last value `value` is.
absl::optional<Accumulator> AsAccumulator(llvm::Value* value, llvm::Intrinsic::ID id) {
  auto* next = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  // Used in the next iteration and behind the loop.
  if (next == nullptr || next->getIntrinsicID() != id || !next->hasNUses(2)) return absl::nullopt;
  for (const unsigned side : {0u, 1u}) {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(next->getArgOperand(side));
    if (phi == nullptr || !phi->hasOneUse() || phi->getParent() != next->getParent() ||
        phi->getNumIncomingValues() != 2 || phi->getBasicBlockIndex(phi->getParent()) < 0 ||
        phi->getIncomingValueForBlock(phi->getParent()) != next) {
      continue;
    }
    auto* initial =
        llvm::dyn_cast<llvm::Constant>(phi->getIncomingValueForBlock(BlockBefore(*phi)));
    const auto* number = initial == nullptr
                             ? nullptr
                             : llvm::dyn_cast_or_null<llvm::ConstantFP>(initial->getSplatValue());
    if (number == nullptr || number->isNaN()) return absl::nullopt;
    return Accumulator{phi, next, next->getArgOperand(1 - side), initial};
  }
  return absl::nullopt;
}

// Appends the accumulators of whose last values `value` is the extremum; false where it is not of
// those of one loop alone.
bool FindAccumulators(llvm::Value* value, llvm::Intrinsic::ID id, std::vector<Accumulator>& found) {
  // Values leave loops through phis of one.
  while (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
    if (phi->getNumIncomingValues() != 1 || !phi->hasOneUse()) return false;
    value = phi->getIncomingValue(0);
  }
  if (const auto accumulator = AsAccumulator(value, id)) {
    found.push_back(*accumulator);
    return accumulator->loop() == found[0].loop() && accumulator->initial == found[0].initial;
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  return call != nullptr && call->getIntrinsicID() == id && call->hasOneUse() &&
         FindAccumulators(call->getArgOperand(0), id, found) &&
         FindAccumulators(call->getArgOperand(1), id, found);
}

// Prints the extremum of all elements that the accumulators of a loop take.
class LoopPrinter {
 public:
  LoopPrinter(const CodeContext& code, std::vector<Accumulator> accumulators, bool is_maximum)
      : is_maximum_(is_maximum),
        has_masks_(code.HasFeature("avx512f")),
        accumulators_(std::move(accumulators)),
        in_loop_(accumulators_[0].loop()->getTerminator()) {}

  // At `b`, behind the loop.
  llvm::Value* Print(Builder& b) {
    llvm::Value *extremum = nullptr, *ordered = nullptr, *signs = nullptr;
    for (const Accumulator& accumulator : accumulators_) {
      llvm::Value* last = Carry(accumulator.initial, [&](llvm::Value* current) {
        return Extremum(in_loop_, accumulator.element, current);
      });
      extremum = extremum == nullptr ? last : Extremum(b, last, extremum);
    }
    for (size_t i = 0; i < accumulators_.size(); i += 2) {
      llvm::Value* x = accumulators_[i].element;
      llvm::Value* y = accumulators_[std::min(i + 1, accumulators_.size() - 1)].element;
      llvm::Value* last_ordered = CarryOrdered(x, y);
      llvm::Value* last_signs = Carry(SignsOfInitial(), [&](llvm::Value* current) {
        llvm::Value* both = Join(in_loop_, Bits(in_loop_, x), current);
        return x == y ? both : Join(in_loop_, Bits(in_loop_, y), both);
      });
      ordered = ordered == nullptr ? last_ordered : b.CreateAnd(ordered, last_ordered);
      signs = signs == nullptr ? last_signs : Join(b, signs, last_signs);
    }
    return Correct(b, Reduce(b, extremum), ordered, signs);
  }

 private:
  static llvm::Value* Bits(Builder& b, llvm::Value* value) {
    return b.CreateBitCast(
        value, llvm::VectorType::getInteger(llvm::cast<llvm::VectorType>(value->getType())));
  }

  // In one instruction: y where either is NaN or both are zeros.
  llvm::Value* Extremum(Builder& b, llvm::Value* x, llvm::Value* y) const {
    return b.CreateSelect(is_maximum_ ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y), x, y);
  }

  // Of signs: a maximum that is zero is a negative one if all are negative, a minimum if any is.
  llvm::Value* Join(Builder& b, llvm::Value* x, llvm::Value* y) const {
    return is_maximum_ ? b.CreateAnd(x, y) : b.CreateOr(x, y);
  }

  llvm::Constant* SignsOfInitial() const {
    llvm::Constant* initial = accumulators_[0].initial;
    return llvm::ConstantExpr::getBitCast(
        initial, llvm::VectorType::getInteger(llvm::cast<llvm::VectorType>(initial->getType())));
  }

  // The last value of what each iteration makes of the current one.
  template <typename Step>
  llvm::Value* Carry(llvm::Constant* initial, Step step) {
    llvm::PHINode& like = *accumulators_[0].current;
    llvm::PHINode* phi = Builder(&like).CreatePHI(initial->getType(), 2);
    llvm::Value* next = step(phi);
    phi->addIncoming(initial, BlockBefore(like));
    phi->addIncoming(next, like.getParent());
    return next;
  }

  // Whether no element was NaN: as a mask, or as all bits of a lane.
  llvm::Value* CarryOrdered(llvm::Value* x, llvm::Value* y) {
    llvm::Value* ordered = in_loop_.CreateFCmpORD(x, y);
    if (!has_masks_) ordered = in_loop_.CreateSExt(ordered, Bits(in_loop_, x)->getType());
    return Carry(llvm::Constant::getAllOnesValue(ordered->getType()),
                 [&](llvm::Value* current) { return in_loop_.CreateAnd(current, ordered); });
  }

  llvm::Value* Reduce(Builder& b, llvm::Value* vector) const {
    for (int lanes = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
         lanes > 1; lanes /= 2) {
      std::vector<int> low(lanes / 2), high(lanes / 2);
      for (int i = 0; i < lanes / 2; ++i) low[i] = i, high[i] = lanes / 2 + i;
      vector = Extremum(b, b.CreateShuffleVector(vector, low), b.CreateShuffleVector(vector, high));
    }
    return b.CreateExtractElement(vector, uint64_t{0});
  }

  // The lanes that are negative numbers, as bits of one integer.
  static llvm::Value* NegativeLanes(Builder& b, llvm::Value* vector) {
    llvm::Value* mask = vector;
    if (!vector->getType()->getScalarType()->isIntegerTy(1)) {
      mask = b.CreateICmpSLT(vector, llvm::Constant::getNullValue(vector->getType()));
    }
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
    return b.CreateBitCast(mask, b.getIntNTy(lanes));
  }

  llvm::Value* Correct(Builder& b, llvm::Value* extremum, llvm::Value* ordered,
                       llvm::Value* signs) const {
    llvm::Type* type = extremum->getType();
    const auto has_all = [&](llvm::Value* lanes) {
      return b.CreateICmpEQ(lanes, llvm::Constant::getAllOnesValue(lanes->getType()));
    };
    llvm::Value* negative = NegativeLanes(b, signs);
    llvm::Value* is_negative = is_maximum_ ? has_all(negative) : b.CreateIsNotNull(negative);
    llvm::Value* zero = b.CreateSelect(is_negative, llvm::ConstantFP::getNegativeZero(type),
                                       llvm::ConstantFP::getZero(type));
    llvm::Value* is_zero = b.CreateFCmpOEQ(extremum, llvm::ConstantFP::getZero(type));
    return b.CreateSelect(has_all(NegativeLanes(b, ordered)),
                          b.CreateSelect(is_zero, zero, extremum), llvm::ConstantFP::getNaN(type));
  }

  const bool is_maximum_;
  const bool has_masks_;
  const std::vector<Accumulator> accumulators_;
  Builder in_loop_;
};

bool HasPowerOfTwoLanes(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr && llvm::isPowerOf2_32(vector->getNumElements());
}

// Whether `root`, an extremum of a vector's elements, has been replaced.
bool Replace(const CodeContext& code, llvm::IntrinsicInst& root) {
  const bool is_maximum = root.getIntrinsicID() == llvm::Intrinsic::vector_reduce_fmaximum;
  llvm::Value* vector = root.getArgOperand(0);
  std::vector<Accumulator> accumulators;
  if (!HasPowerOfTwoLanes(vector->getType()) ||
      !FindAccumulators(vector, is_maximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum,
                        accumulators) ||
      accumulators[0].loop() == root.getParent()) {
    return false;
  }
  Builder b(&root);
  root.replaceAllUsesWith(LoopPrinter(code, accumulators, is_maximum).Print(b));
  root.eraseFromParent();
  llvm::RecursivelyDeleteTriviallyDeadInstructions(vector);
  for (const Accumulator& accumulator : accumulators) {
    llvm::RecursivelyDeleteDeadPHINode(accumulator.current);
  }
  return true;
}

}  // namespace

llvm::PreservedAnalyses ExtremumLoopsPass::run(llvm::Function& function,
                                               llvm::FunctionAnalysisManager&) const {
  if (!llvm::Triple(function.getParent()->getTargetTriple()).isX86()) {
    return llvm::PreservedAnalyses::all();
  }
  std::vector<llvm::IntrinsicInst*> roots;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr) continue;
    const llvm::Intrinsic::ID id = call->getIntrinsicID();
    if (id == llvm::Intrinsic::vector_reduce_fmaximum ||
        id == llvm::Intrinsic::vector_reduce_fminimum) {
      roots.push_back(call);
    }
  }
  bool changed = false;
  for (llvm::IntrinsicInst* root : roots) changed |= Replace(code_, *root);
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace acceld::kernels::cpu
