#include "kernels/cpu/emit/math/divide_by_invariants.h"

#include <vector>

#include "kernels/cpu/emit/math/float_expr.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace acceld::kernels::cpu {
namespace {

// A divisor scaled to a range in which neither its reciprocal nor remainders overflow or lose bits.
struct Divisor {
  FloatExpr magnitude;
  FloatExpr reciprocal;  // of the magnitude
  FloatExpr scale;       // the factor for dividends: the divisor's sign and scale
};

Divisor Prepare(FloatExpr divisor) {
  constexpr double kSmall = 0x1p-100, kLarge = 0x1p100;
  FloatExpr magnitude = divisor.Abs();
  FloatExpr one = divisor.Constant(1.0);
  FloatExpr scale = FloatExpr::If(magnitude.Less(kSmall), divisor.Constant(0x1p100), one);
  // The scale keeps the reciprocal normal: with a subnormal one remainders would lose bits.
  scale = FloatExpr::If(magnitude.Greater(kLarge), divisor.Constant(0x1p-32), scale);
  magnitude = magnitude * scale;
  return {magnitude, one / magnitude, scale.CopySign(divisor)};
}

FloatExpr Splat(Builder& b, FloatExpr scalar, llvm::Type* type) {
  const llvm::ElementCount lanes = llvm::cast<llvm::VectorType>(type)->getElementCount();
  return {b, b.CreateVectorSplat(lanes, scalar.value())};
}

// Returns `x` where it is not NaN, else `other`.
FloatExpr NumberOr(const CodeContext& code, FloatExpr x, FloatExpr other) {
  Builder& b = x.builder();
  const auto* type = llvm::cast<llvm::FixedVectorType>(x.value()->getType());
  if (type->getNumElements() != 16 || !code.HasFeature("avx512f")) {
    return FloatExpr::If(b.CreateFCmpORD(x.value(), x.value()), x, other);
  }
  // This instruction has a table of four bits for each class of x; the first two classes are NaNs.
  // 0 selects `other`, 1 selects x.
  constexpr uint32_t kTakeNumbers = 0x11111100;
  constexpr int kRoundAsUsual = 4;
  llvm::Value* table = b.CreateVectorSplat(16, b.getInt32(kTakeNumbers));
  return {b, b.CreateIntrinsic(
                 llvm::Intrinsic::x86_avx512_mask_fixupimm_ps_512, {},
                 {other.value(), x.value(), table, b.getInt32(0),
                  llvm::Constant::getAllOnesValue(b.getInt16Ty()), b.getInt32(kRoundAsUsual)})};
}

FloatExpr Quotient(const CodeContext& code, FloatExpr dividend, const Divisor& divisor) {
  FloatExpr scaled = dividend * divisor.scale;
  FloatExpr quotient = scaled * divisor.reciprocal;
  FloatExpr excess = MulAdd(code, quotient, divisor.magnitude, -scaled);
  FloatExpr exact = MulAdd(code, -excess, divisor.reciprocal, quotient);
  // For infinite quotients and dividends the correction is NaN.
  return NumberOr(code, exact, quotient);
}

// Returns whether the instruction divides an f32 vector that changes in the loop by one that does
// not.
bool DividesByInvariant(const llvm::Instruction& instruction, const llvm::Loop& loop) {
  return instruction.getOpcode() == llvm::Instruction::FDiv &&
         llvm::isa<llvm::FixedVectorType>(instruction.getType()) &&
         instruction.getType()->getScalarType()->isFloatTy() &&
         loop.isLoopInvariant(instruction.getOperand(1)) &&
         !loop.isLoopInvariant(instruction.getOperand(0));
}

void Replace(const CodeContext& code, llvm::Instruction& division, llvm::BasicBlock& before) {
  Builder outside(before.getTerminator());
  llvm::Value* value = division.getOperand(1);
  llvm::Value* scalar = llvm::getSplatValue(value);
  Divisor divisor = Prepare({outside, scalar == nullptr ? value : scalar});
  if (scalar != nullptr) {
    for (FloatExpr* part : {&divisor.magnitude, &divisor.reciprocal, &divisor.scale}) {
      *part = Splat(outside, *part, value->getType());
    }
  }
  Builder b(&division);
  for (FloatExpr* part : {&divisor.magnitude, &divisor.reciprocal, &divisor.scale}) {
    *part = FloatExpr(b, part->value());
  }
  division.replaceAllUsesWith(Quotient(code, {b, division.getOperand(0)}, divisor).value());
  division.eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses DivideByInvariantsPass::run(llvm::Function& function,
                                                    llvm::FunctionAnalysisManager& analyses) const {
  if (!code_.FusesMultiplyAdd()) return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (const llvm::Loop* loop :
       analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    llvm::BasicBlock* before = loop->getLoopPreheader();
    if (!loop->isInnermost() || before == nullptr) continue;
    std::vector<llvm::Instruction*> divisions;
    for (llvm::BasicBlock* block : loop->blocks()) {
      for (llvm::Instruction& instruction : *block) {
        if (DividesByInvariant(instruction, *loop)) divisions.push_back(&instruction);
      }
    }
    for (llvm::Instruction* division : divisions) Replace(code_, *division, *before);
    changed |= !divisions.empty();
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace acceld::kernels::cpu
