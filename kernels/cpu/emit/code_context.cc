#include "kernels/cpu/emit/code_context.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/check.h"
#include "llvm/TargetParser/Triple.h"

namespace acceld::kernels::cpu {

using ir::DType;

CodeContext::CodeContext(const CpuTarget& target, llvm::Module& module)
    : target_(target),
      is_aarch64_(llvm::Triple(module.getTargetTriple()).isAArch64()),
      module_(module) {
  for (absl::string_view feature : absl::StrSplit(target_.features, ',')) {
    if (absl::ConsumePrefix(&feature, "+")) features_.emplace(feature);
  }
}

llvm::Function* CodeContext::NewFunction(const llvm::Twine& name, llvm::FunctionType* type) const {
  llvm::Function* function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module_);
  SetTargetAttributes(*function);
  return function;
}

llvm::Function* CodeContext::Import(llvm::Function& function) const {
  const auto export_it = [](llvm::Function& exported) {
    exported.setLinkage(llvm::GlobalValue::ExternalLinkage);
    exported.setVisibility(llvm::GlobalValue::HiddenVisibility);
  };
  const llvm::FunctionType& type = *function.getFunctionType();
  std::vector<llvm::Type*> parameters;
  for (const llvm::Type* parameter : type.params()) parameters.push_back(Import(*parameter));
  llvm::Function* imported = NewFunction(
      function.getName(),
      llvm::FunctionType::get(Import(*type.getReturnType()), parameters, /*isVarArg=*/false));
  export_it(function);
  export_it(*imported);
  return imported;
}

llvm::Constant* CodeContext::Import(const llvm::ConstantData& constant) const {
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
    return llvm::ConstantInt::get(llvm(), integer->getValue());
  }
  return llvm::ConstantFP::get(llvm(), llvm::cast<llvm::ConstantFP>(constant).getValue());
}

llvm::Type* CodeContext::Import(const llvm::Type& type) const {
  if (type.isPointerTy()) return pointer();
  if (type.isFloatTy()) return llvm::Type::getFloatTy(llvm());
  if (type.isDoubleTy()) return llvm::Type::getDoubleTy(llvm());
  return Int(type.getIntegerBitWidth());
}

void CodeContext::SetTargetAttributes(llvm::Function& function) const {
  function.addFnAttr("target-cpu", target_.cpu);
  function.addFnAttr("target-features", target_.features);
  function.addFnAttr("prefer-vector-width", "512");
  function.addFnAttr("no-trapping-math", "true");
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

llvm::FunctionCallee CodeContext::RunTimeFunction(llvm::StringRef name, llvm::FunctionType* type,
                                                  bool pure) {
  llvm::FunctionCallee callee = module_.getOrInsertFunction(name, type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  if (pure) {
    function->setDoesNotAccessMemory();
    function->addFnAttr(llvm::Attribute::WillReturn);
    function->addFnAttr(llvm::Attribute::NoFree);
    function->addFnAttr(llvm::Attribute::NoSync);
  }
  return callee;
}

llvm::Type* CodeContext::RegisterType(DType dtype) const {
  switch (ir::ClassOf(dtype)) {
    case ir::DTypeClass::kBool:
    case ir::DTypeClass::kSigned:
    case ir::DTypeClass::kUnsigned:
      return Int(ir::BitsOf(dtype));
    case ir::DTypeClass::kFloat:
      if (dtype == DType::kF32) return llvm::Type::getFloatTy(llvm());
      if (dtype == DType::kF64) return llvm::Type::getDoubleTy(llvm());
      return Int(ir::BitsOf(dtype));
    case ir::DTypeClass::kComplex:
      break;
  }
  ACCELD_CHECK(false);  // kernel IR has no complex scalars; VerifyKernel refuses them
}

llvm::Type* CodeContext::StorageType(DType dtype) const {
  if (dtype == DType::kF32 || dtype == DType::kF64) return RegisterType(dtype);
  return Int(8 * ir::StorageBytesOf(dtype));
}

bool IsNarrowFloat(DType dtype) {
  return ir::IsFloat(dtype) && dtype != DType::kF32 && dtype != DType::kF64;
}

}  // namespace acceld::kernels::cpu
