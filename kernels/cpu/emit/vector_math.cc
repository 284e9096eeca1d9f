#include "kernels/cpu/emit/vector_math.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/check.h"
#include "llvm/IR/InstIterator.h"

namespace acceld::kernels::cpu {
namespace {

constexpr char kMath[] = "acceld-math";  // of a function: the name of what it computes
constexpr unsigned kLanes[] = {2, 4, 8, 16};

void SetMathAttributes(llvm::Function& function, llvm::StringRef name) {
  function.addFnAttr(kMath, name);
  function.setDoesNotThrow();
  function.setDoesNotAccessMemory();
  for (const auto attribute : {llvm::Attribute::WillReturn, llvm::Attribute::NoFree,
                               llvm::Attribute::NoSync, llvm::Attribute::Speculatable}) {
    function.addFnAttr(attribute);
  }
}

llvm::Function* DeclareMath(llvm::Module& module, const std::string& symbol, llvm::StringRef name,
                            llvm::Type* type) {
  auto* function = llvm::Function::Create(llvm::FunctionType::get(type, {type}, /*isVarArg=*/false),
                                          llvm::Function::ExternalLinkage, symbol, module);
  SetMathAttributes(*function, name);
  return function;
}

}  // namespace

llvm::Function* VectorMathFunction(CodeContext& code, llvm::StringRef name) {
  const std::string symbol = absl::StrCat("math.", std::string(name), ".f32");
  if (llvm::Function* known = code.FindFunction(symbol)) return known;
  return DeclareMath(code.module(), symbol, name, llvm::Type::getFloatTy(code.llvm()));
}

llvm::PreservedAnalyses DeclareVectorMathPass::run(llvm::Module& module,
                                                   llvm::ModuleAnalysisManager&) {
  std::vector<llvm::Function*> scalar;
  for (llvm::Function& function : module) {
    if (function.hasFnAttribute(kMath)) scalar.push_back(&function);
  }
  for (llvm::Function* function : scalar) {
    const llvm::StringRef name = function->getFnAttribute(kMath).getValueAsString();
    std::vector<std::string> variants;
    for (const unsigned lanes : kLanes) {
      const std::string symbol = absl::StrCat(std::string(function->getName()), ".v", lanes);
      DeclareMath(module, symbol, name,
                  llvm::FixedVectorType::get(function->getReturnType(), lanes));
      // LLVM's own way to name a vector function, in its VFABIDemangler.h.
      variants.push_back(absl::StrCat("_ZGV_LLVM_N", lanes, "v_", std::string(function->getName()),
                                      "(", symbol, ")"));
    }
    function->addFnAttr("vector-function-abi-variant", absl::StrJoin(variants, ","));
  }
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses ExpandVectorMathPass::run(llvm::Function& function,
                                                  llvm::FunctionAnalysisManager&) const {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (call->getCalledFunction()->hasFnAttribute(kMath)) calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    Builder b(call);
    const MathEmitter emit =
        VectorMathEmitter(call->getCalledFunction()->getFnAttribute(kMath).getValueAsString());
    call->replaceAllUsesWith(emit(code_, b, call->getArgOperand(0)));
    call->eraseFromParent();
  }
  if (calls.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace acceld::kernels::cpu
