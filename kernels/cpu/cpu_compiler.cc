#include "kernels/cpu/cpu_compiler.h"

#include "absl/strings/str_cat.h"
#include "kernels/cpu/emit/buffer_facts.h"
#include "kernels/cpu/emit/code_context.h"
#include "kernels/cpu/emit/object_emitter.h"
#include "kernels/cpu/emit/plan_emitter.h"
#include "kernels/cpu/llvm_setup.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace acceld::kernels::cpu {
namespace {

std::string TextOf(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

}  // namespace

absl::StatusOr<std::string> CompilePlan(const Plan& plan, const CpuTarget& target,
                                        CpuDumps* dumps) {
  ACCELD_RETURN_IF_ERROR(CheckPlan(plan));
  InitializeLlvm();
  ACCELD_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine, MakeTargetMachine(target));

  llvm::LLVMContext context;
  llvm::Module module("acceld", context);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  CodeContext code(target, module);
  EmitPlan(code, plan);
  if (dumps != nullptr) dumps->llvm_ir = TextOf(module);
#ifndef NDEBUG
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) {
    return absl::InternalError(absl::StrCat("printed LLVM IR is malformed: ", stream.str()));
  }
#endif
  OptimizeModule(module, *machine);
  if (dumps != nullptr) dumps->optimized_llvm_ir = TextOf(module);
  return EmitObject(module, *machine);
}

}  // namespace acceld::kernels::cpu
