#include "kernels/cpu/emit/divide_by_invariants.h"

#include <vector>

#include "kernels/cpu/emit/float_expr.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"

namespace acceld::kernels::cpu {
namespace {

// A divisor in a range in which neither its reciprocal nor remainders overflow or lose bits.
struct Divisor {
  FloatExpr magnitude;
  FloatExpr reciprocal;  // of the magnitude
  FloatExpr scale;       // of dividends: with the sign, and what brought the divisor into its range
};

Divisor Prepare(FloatExpr divisor) {
  constexpr double kSmall = 0x1p-100, kLarge = 0x1p100;
  FloatExpr magnitude = divisor.Abs();
  FloatExpr one = divisor.Constant(1.0);
  FloatExpr scale = FloatExpr::If(magnitude.Less(kSmall), divisor.Constant(0x1p100), one);
  // No smaller than what keeps the reciprocal normal: remainders lose bits with it.
  scale = FloatExpr::If(magnitude.Greater(kLarge), divisor.Constant(0x1p-32), scale);
  magnitude = magnitude * scale;
  return {magnitude, one / magnitude, scale.CopySign(divisor)};
}

FloatExpr Splat(Builder& b, FloatExpr scalar, llvm::Type* type) {
  const llvm::ElementCount lanes = llvm::cast<llvm::VectorType>(type)->getElementCount();
  return {b, b.CreateVectorSplat(lanes, scalar.value())};
}

FloatExpr Quotient(const CodeContext& code, FloatExpr dividend, const Divisor& divisor) {
  FloatExpr scaled = dividend * divisor.scale;
  FloatExpr quotient = scaled * divisor.reciprocal;
  FloatExpr excess = MulAdd(code, quotient, divisor.magnitude, -scaled);
  FloatExpr exact = MulAdd(code, -excess, divisor.reciprocal, quotient);
  // Infinite quotients and dividends leave no remainder.
  llvm::Value* is_number = dividend.builder().CreateFCmpORD(exact.value(), exact.value());
  return FloatExpr::If(is_number, exact, quotient);
}

// Whether it divides an f32 vector that changes in the loop by one that does not.
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
  if (!code_.HasFeature("fma")) return llvm::PreservedAnalyses::all();
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
