#include "kernels/cpu/emit/math/extremum_keys.h"

#include "llvm/TargetParser/Triple.h"

namespace acceld::kernels::cpu {
namespace {

// Maps the bits of a float to an integer such that integers compare as the floats do. The mapping
// is its own inverse.
llvm::Value* Ordered(Builder& b, llvm::Value* bits) {
  const unsigned size = bits->getType()->getIntegerBitWidth();
  llvm::Value* negative = b.CreateAShr(bits, size - 1);
  return b.CreateXor(bits, b.CreateAnd(negative, llvm::APInt::getSignedMaxValue(size)));
}

// Returns the number of NaN encodings of one sign. An offset by it moves the largest number to the
// end of the integers; the NaNs, for which there is no room left, wrap around to the other end.
llvm::APInt NanOfOneSign(llvm::Type* type) {
  const llvm::fltSemantics& format = type->getFltSemantics();
  const llvm::APInt infinity = llvm::APFloat::getInf(format).bitcastToAPInt();
  return llvm::APInt::getSignedMaxValue(infinity.getBitWidth()) - infinity;
}

}  // namespace

bool ShouldCarryKeys(const CodeContext& code) {
  return llvm::Triple(code.module().getTargetTriple()).isX86();
}

llvm::Value* KeyOf(Builder& b, ScalarOp op, llvm::Value* value) {
  const llvm::APInt nans = NanOfOneSign(value->getType());
  llvm::Value* ordered = Ordered(b, b.CreateBitCast(value, b.getIntNTy(nans.getBitWidth())));
  return b.CreateAdd(ordered, b.getInt(op == ScalarOp::kMax ? -nans : nans));
}

llvm::Value* ValueOfKey(Builder& b, ScalarOp op, llvm::Value* key, llvm::Type* type) {
  const llvm::APInt nans = NanOfOneSign(type);
  llvm::Value* ordered = b.CreateSub(key, b.getInt(op == ScalarOp::kMax ? -nans : nans));
  return b.CreateBitCast(Ordered(b, ordered), type);
}

}  // namespace acceld::kernels::cpu
