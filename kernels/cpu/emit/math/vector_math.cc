#include "kernels/cpu/emit/math/vector_math.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/check.h"
#include "llvm/IR/InstIterator.h"

namespace acceld::kernels::cpu {
namespace {

// The attribute of a declared math function. Its value is the function's name.
constexpr char kMath[] = "acceld-math";
constexpr unsigned kLanes[] = {2, 4, 8, 16};
// The most copies of one body in one function. A call costs about a tenth of the time of a body,
// and a copy of the body half a millisecond of compile time.
constexpr int kMaxInlinedBodies = 8;

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

MathBody BodyOf(const llvm::Function& function) {
  return MathBodyOf(function.getFnAttribute(kMath).getValueAsString());
}

// Generates the function's body for each element of `vector`, in a loop, which is to be vectorized
// again.
llvm::Value* EmitForEach(const CodeContext& code, Builder& b, MathEmitter emit,
                         llvm::Value* vector) {
  auto* type = llvm::cast<llvm::FixedVectorType>(vector->getType());
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock* entry = b.GetInsertBlock();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(code.llvm(), "elements", function);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(code.llvm(), "after", function);
  llvm::Value* elements = b.CreateAlloca(type);
  b.CreateStore(vector, elements);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* index = b.CreatePHI(b.getInt64Ty(), 2);
  llvm::Value* element = b.CreateInBoundsGEP(type->getElementType(), elements, index);
  b.CreateStore(emit(code, b, b.CreateLoad(type->getElementType(), element)), element);
  llvm::Value* next = b.CreateAdd(index, b.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  index->addIncoming(b.getInt64(0), entry);
  index->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpNE(next, b.getInt64(type->getNumElements())), loop, after);
  b.SetInsertPoint(after);
  return b.CreateLoad(type, elements);
}

}  // namespace

llvm::PreservedAnalyses ShareInlinedMathPass::run(llvm::Module& module,
                                                  llvm::ModuleAnalysisManager&) {
  std::vector<llvm::Function*> inlined;
  for (llvm::Function& function : module) {
    if (function.hasFnAttribute(kInlinedMath)) inlined.push_back(&function);
  }
  for (llvm::Function* function : inlined) {
    absl::flat_hash_map<const llvm::Function*, std::vector<llvm::CallInst*>> calls;
    for (llvm::User* user : function->users()) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      calls[call->getFunction()].push_back(call);
    }
    llvm::Function* shared = nullptr;
    for (const auto& [caller, its_calls] : calls) {
      if (its_calls.size() <= kMaxInlinedBodies) continue;
      if (shared == nullptr) {
        shared = DeclareMath(module, absl::StrCat(std::string(function->getName()), ".shared"),
                             function->getFnAttribute(kInlinedMath).getValueAsString(),
                             function->getReturnType());
      }
      for (llvm::CallInst* call : its_calls) call->setCalledFunction(shared);
    }
  }
  return llvm::PreservedAnalyses::none();
}

std::vector<llvm::Function*> DefineCalledMath(const CodeContext& code, llvm::Module& module) {
  std::vector<llvm::Function*> defined;
  for (llvm::Function& function : module) {
    if (!function.hasFnAttribute(kMath) || function.use_empty()) continue;
    const MathBody body = BodyOf(function);
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    code.SetTargetAttributes(function);
    Builder b(llvm::BasicBlock::Create(code.llvm(), "entry", &function));
    llvm::Value* x = function.getArg(0);
    const bool one_by_one = x->getType()->isVectorTy() && !body.takes_vectors;
    b.CreateRet(one_by_one ? EmitForEach(code, b, body.emit, x) : body.emit(code, b, x));
    defined.push_back(&function);
  }
  return defined;
}

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
      // LLVM's name of a vector variant (VFABIDemangler.h).
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
  absl::flat_hash_map<const llvm::Function*, int> copies;
  for (const llvm::CallInst* call : calls) ++copies[call->getCalledFunction()];
  for (llvm::CallInst* call : calls) {
    if (copies[call->getCalledFunction()] > kMaxInlinedBodies) continue;
    Builder b(call);
    const MathBody body = BodyOf(*call->getCalledFunction());
    if (!body.takes_vectors) continue;
    call->replaceAllUsesWith(body.emit(code_, b, call->getArgOperand(0)));
    call->eraseFromParent();
  }
  if (calls.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace acceld::kernels::cpu
