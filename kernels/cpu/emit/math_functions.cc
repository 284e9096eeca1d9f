#include "kernels/cpu/emit/math_functions.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;
using PolynomialEmitter = llvm::Value* (*)(const CodeContext&, Builder&, llvm::Value*);

PolynomialEmitter PolynomialFor(ScalarOp op) {
  static constexpr std::pair<ScalarOp, PolynomialEmitter> kPolynomials[] = {
      {ScalarOp::kExp, EmitExpF32},           {ScalarOp::kExpm1, EmitExpm1F32},
      {ScalarOp::kLog, EmitLogF32},           {ScalarOp::kLog1p, EmitLog1pF32},
      {ScalarOp::kLogistic, EmitLogisticF32}, {ScalarOp::kTanh, EmitTanhF32},
      {ScalarOp::kSin, EmitSinF32},           {ScalarOp::kCos, EmitCosF32},
  };
  for (const auto& [kind, emitter] : kPolynomials) {
    if (kind == op) return emitter;
  }
  return nullptr;
}

absl::string_view LibraryName(ScalarOp op) {
#define ACCELD_MATH_FUNCTION(Kind, name, arity, f32, f64) \
  if (op == ScalarOp::k##Kind) return #name;
#include "kernels/cpu/math_library.def"
  ACCELD_CHECK(false);  // the caller's switch sends only ops of that list here
}

llvm::Function* PolynomialFunction(CodeContext& code, PolynomialEmitter emit, ScalarOp op) {
  const std::string name = absl::StrCat("math.", std::string(LibraryName(op)), ".f32");
  if (llvm::Function* known = code.FindFunction(name)) return known;
  llvm::Type* f32 = llvm::Type::getFloatTy(code.llvm());
  llvm::Function* function =
      code.NewFunction(name, llvm::FunctionType::get(f32, {f32}, /*isVarArg=*/false));
  function->addFnAttr(llvm::Attribute::AlwaysInline);
  Builder b(llvm::BasicBlock::Create(code.llvm(), "entry", function));
  b.CreateRet(emit(code, b, function->getArg(0)));
  return function;
}

}  // namespace

llvm::Value* EmitMath(CodeContext& code, Builder& b, ScalarOp op, DType dtype,
                      llvm::ArrayRef<llvm::Value*> operands) {
  if (dtype == DType::kF32) {
    if (PolynomialEmitter emit = PolynomialFor(op)) {
      return b.CreateCall(PolynomialFunction(code, emit, op), operands);
    }
  }
  llvm::Type* type = code.RegisterType(dtype);
  llvm::SmallVector<llvm::Type*, 2> parameters(operands.size(), type);
  const std::string symbol = absl::StrCat("acceld_cpu_", std::string(LibraryName(op)),
                                          dtype == DType::kF32 ? "_f32" : "_f64");
  return b.CreateCall(
      code.RunTimeFunction(symbol, llvm::FunctionType::get(type, parameters, false), true),
      operands);
}

}  // namespace acceld::kernels::cpu
