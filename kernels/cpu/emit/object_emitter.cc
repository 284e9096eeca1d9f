#include "kernels/cpu/emit/object_emitter.h"

#include "absl/strings/str_cat.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

namespace acceld::kernels::cpu {
namespace {

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeTargetMachine(const CpuTarget& target) {
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (found == nullptr) {
    return absl::InternalError(absl::StrCat("LLVM has no target ", triple, ": ", error));
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // a * b + c rounds twice
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Default, /*JIT=*/false));
  if (machine == nullptr) {
    return absl::InternalError(absl::StrCat("LLVM cannot generate code for ", triple));
  }
  return machine;
}

}  // namespace

absl::StatusOr<llvm::TargetMachine*> TargetMachineFor(const CpuTarget& target) {
  thread_local std::unique_ptr<llvm::TargetMachine> machine;
  if (machine == nullptr || machine->getTargetCPU() != target.cpu ||
      machine->getTargetFeatureString() != target.features) {
    ACCELD_ASSIGN_OR_RETURN(machine, MakeTargetMachine(target));
  }
  return machine.get();
}

absl::StatusOr<std::string> EmitObject(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                                  /*DisableVerify=*/true)) {
    return absl::InternalError("LLVM cannot write objects for this machine");
  }
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace acceld::kernels::cpu
