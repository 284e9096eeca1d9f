#include "kernels/cpu/emit/math/math_functions.h"

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "kernels/cpu/emit/math/vector_math.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;

struct NamedPolynomial {
  ScalarOp op;
  MathBody body;
};

constexpr NamedPolynomial kPolynomials[] = {
    {ScalarOp::kExp, {EmitExpF32, true}},           {ScalarOp::kExpm1, {EmitExpm1F32, true}},
    {ScalarOp::kLog, {EmitLogF32, true}},           {ScalarOp::kLog1p, {EmitLog1pF32, true}},
    {ScalarOp::kLogistic, {EmitLogisticF32, true}}, {ScalarOp::kTanh, {EmitTanhF32, true}},
    {ScalarOp::kSin, {EmitSinF32, false}},          {ScalarOp::kCos, {EmitCosF32, false}},
};

absl::string_view LibraryName(ScalarOp op) {
#define ACCELD_MATH_FUNCTION(Kind, name, arity, f32, f64) \
  if (op == ScalarOp::k##Kind) return #name;
#include "kernels/cpu/math_library.def"
  ACCELD_CHECK(false);  // EmitFloatOp calls this only for ops of that list
}

llvm::Function* PolynomialFunction(CodeContext& code, const NamedPolynomial& polynomial) {
  const absl::string_view library_name = LibraryName(polynomial.op);
  if (polynomial.body.takes_vectors) {
    return VectorMathFunction(code, {library_name.data(), library_name.size()});
  }
  const std::string name = absl::StrCat("math.", library_name, ".f32");
  if (llvm::Function* known = code.FindFunction(name)) return known;
  llvm::Type* f32 = llvm::Type::getFloatTy(code.llvm());
  llvm::Function* function =
      code.NewFunction(name, llvm::FunctionType::get(f32, {f32}, /*isVarArg=*/false));
  function->addFnAttr(llvm::Attribute::AlwaysInline);
  function->addFnAttr(kInlinedMath, {library_name.data(), library_name.size()});
  Builder b(llvm::BasicBlock::Create(code.llvm(), "entry", function));
  b.CreateRet(polynomial.body.emit(code, b, function->getArg(0)));
  return function;
}

}  // namespace

MathBody MathBodyOf(llvm::StringRef name) {
  for (const NamedPolynomial& polynomial : kPolynomials) {
    if (name == llvm::StringRef(LibraryName(polynomial.op).data())) return polynomial.body;
  }
  ACCELD_CHECK(false);  // only functions of that list are declared
}

llvm::Value* EmitMath(CodeContext& code, Builder& b, ScalarOp op, DType dtype,
                      llvm::ArrayRef<llvm::Value*> operands) {
  if (dtype == DType::kF32) {
    for (const NamedPolynomial& polynomial : kPolynomials) {
      if (polynomial.op == op) return b.CreateCall(PolynomialFunction(code, polynomial), operands);
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
