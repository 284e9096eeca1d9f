#include "absl/strings/str_cat.h"
#include "kernels/cpu/emit/function_emitter.h"
#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

using llvm::Value;

// The outlined function has these parameters: the context, the buffers, the scratch arrays, and the
// values from outside that it uses. Nothing else accesses the scratch arrays while it runs.
void FunctionEmitter::EmitOutlined(const Block& body) {
  std::vector<Value*> arguments = {context_};
  std::vector<llvm::Type*> parameters = {rare_code_.pointer()};
  for (uint32_t i = 0; i < buffers_.size(); ++i) {
    arguments.push_back(Buffer(i));
    parameters.push_back(rare_code_.pointer());
  }
  const std::vector<Var> captured = FreeVars(kernel_, body);
  std::vector<llvm::Constant*> constants;  // by captured value; null if it is no constant
  for (const Var var : captured) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantData>(In(var));
    const bool is_number = llvm::isa_and_nonnull<llvm::ConstantInt, llvm::ConstantFP>(constant);
    constants.push_back(is_number ? rare_code_.Import(*constant) : nullptr);
    if (is_number) continue;
    arguments.push_back(In(var));
    parameters.push_back(rare_code_.RegisterType(kernel_.TypeOf(var)));
  }

  llvm::Function* function = rare_code_.NewFunction(
      absl::StrCat(std::string(function_->getName()), ".rare"),
      llvm::FunctionType::get(rare_code_.Int(32), parameters, /*isVarArg=*/false));
  SetBufferAttributes(kernel_, facts_, *function, 1);
  for (unsigned i = 0; i < kernel_.scratch.size(); ++i) {
    const unsigned parameter = 1 + kernel_.buffers.size() + i;
    function->addParamAttr(parameter, llvm::Attribute::NoAlias);
    function->addParamAttr(parameter, llvm::Attribute::getWithAlignment(
                                          rare_code_.llvm(), llvm::Align(kBufferAlignment)));
  }
  std::vector<Value*> buffers;
  for (unsigned i = 0; i < buffers_.size(); ++i) buffers.push_back(function->getArg(1 + i));
  FunctionEmitter inner(rare_code_, rare_code_, kernel_, facts_, function, function->getArg(0),
                        std::move(buffers), in_parallel_);
  inner.is_rare_ = true;
  unsigned parameter = 1 + buffers_.size();
  for (size_t i = 0; i < captured.size(); ++i) {
    Value* value = constants[i];
    if (value == nullptr) value = function->getArg(parameter++);
    inner.Bind(captured[i], value);
  }
  inner.EmitBlock(body);
  inner.Finish();
  Value* status = b_.CreateCall(code_.Import(*function), arguments);
  if (inner.can_fail()) ReturnUnlessOk(status);
}

}  // namespace acceld::kernels::cpu
