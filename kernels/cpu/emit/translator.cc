#include "kernels/cpu/emit/translator.h"

#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"

namespace acceld::kernels::cpu {
namespace {

// Passes over machine code that have nothing to do here but would process all code nevertheless:
// those for debuggers, profilers and garbage collectors, those that handle branches where generated
// code has selects, and those that clean up what the passes before already leave in order. The list
// also has the scheduler, as processors that reorder hundreds of instructions do not need it.
llvm::ArrayRef<llvm::AnalysisID> UselessPasses() {
  static const llvm::AnalysisID passes[] = {
      &llvm::DeadMachineInstructionElimID,
      &llvm::EarlyIfConverterID,
      &llvm::EarlyTailDuplicateID,
      &llvm::FEntryInserterID,
      &llvm::FixupStatepointCallerSavedID,
      &llvm::FuncletLayoutID,
      &llvm::LiveDebugValuesID,
      &llvm::LocalStackSlotAllocationID,
      &llvm::MachineCombinerID,
      &llvm::MachineCopyPropagationID,
      &llvm::MachineLateInstrsCleanupID,
      &llvm::MachineSanitizerBinaryMetadataID,
      &llvm::MachineSchedulerID,
      &llvm::MachineSinkingID,
      &llvm::OptimizePHIsID,
      &llvm::PatchableFunctionID,
      &llvm::PostRAMachineSinkingID,
      &llvm::PostRASchedulerID,
      &llvm::RemoveRedundantDebugValuesID,
      &llvm::ShrinkWrapID,
      &llvm::StackColoringID,
      &llvm::StackFrameLayoutAnalysisPassID,
      &llvm::StackMapLivenessID,
      &llvm::TailDuplicateID,
      &llvm::XRayInstrumentationID,
  };
  return passes;
}

absl::StatusOr<std::unique_ptr<llvm::LLVMTargetMachine>> MakeTargetMachine(
    const CpuTarget& target) {
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (found == nullptr) {
    return absl::InternalError(absl::StrCat("LLVM has no target ", triple, ": ", error));
  }
  llvm::TargetOptions options;
  // Fuses a * b + c only where the IR allows it.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  // All of LLVM's targets that have a code generator derive from this class.
  std::unique_ptr<llvm::LLVMTargetMachine> machine(
      static_cast<llvm::LLVMTargetMachine*>(found->createTargetMachine(
          triple, target.cpu, target.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
          llvm::CodeGenOptLevel::Default, /*JIT=*/false)));
  if (machine == nullptr) {
    return absl::InternalError(absl::StrCat("LLVM cannot generate code for ", triple));
  }
  return machine;
}

// A translator keeps the memory of its largest object. One with a very large object is destroyed
// instead of kept.
constexpr size_t kLargeObject = size_t{4} << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<Translator>> Translator::Make(const CpuTarget& target) {
  ACCELD_ASSIGN_OR_RETURN(std::unique_ptr<llvm::LLVMTargetMachine> machine,
                          MakeTargetMachine(target));
  auto translator = absl::WrapUnique(new Translator(target, std::move(machine)));
  ACCELD_RETURN_IF_ERROR(translator->AddPasses());
  return translator;
}

Translator::Translator(const CpuTarget& target, std::unique_ptr<llvm::LLVMTargetMachine> machine)
    : target_(target), machine_(std::move(machine)) {}

// Does what LLVMTargetMachine::addPassesToEmitFile does, without the useless passes.
absl::Status Translator::AddPasses() {
  auto* module_info = new llvm::MachineModuleInfoWrapperPass(machine_.get());
  llvm::TargetPassConfig* config = machine_->createPassConfig(passes_);
  config->setDisableVerify(true);
  for (const llvm::AnalysisID pass : UselessPasses()) config->disablePass(pass);
  passes_.add(config);
  passes_.add(module_info);
  bool failed = config->addISelPasses();
  if (!failed) {
    config->addMachinePasses();
    config->setInitialized();
    failed = machine_->addAsmPrinter(passes_, stream_, nullptr, llvm::CodeGenFileType::ObjectFile,
                                     module_info->getMMI().getContext());
  }
  if (failed) return absl::InternalError("LLVM cannot write objects for this machine");
  passes_.add(llvm::createFreeMachineFunctionPass());
  return absl::OkStatus();
}

std::string Translator::Translate(llvm::Module& module) {
  passes_.run(module);
  std::string object(object_.data(), object_.size());
  object_.clear();
  return object;
}

absl::StatusOr<TranslatorPool::Lease> TranslatorPool::Take() {
  {
    const MutexLock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Translator> translator = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(translator));
    }
  }
  ACCELD_ASSIGN_OR_RETURN(std::unique_ptr<Translator> made, Translator::Make(target_));
  return Lease(*this, std::move(made));
}

TranslatorPool::Lease::~Lease() {
  if (translator_ == nullptr || translator_->largest_object() > kLargeObject) return;
  const MutexLock lock(pool_->mutex_);
  pool_->idle_.push_back(std::move(translator_));
}

}  // namespace acceld::kernels::cpu
