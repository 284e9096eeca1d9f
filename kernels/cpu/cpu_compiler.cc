#include "kernels/cpu/cpu_compiler.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/memory/allocation.h"
#include "kernels/cpu/emit/buffer_facts.h"
#include "kernels/cpu/emit/code_context.h"
#include "kernels/cpu/emit/llvm_passes/optimize.h"
#include "kernels/cpu/emit/plan_emitter.h"
#include "kernels/cpu/emit/plan_split.h"
#include "kernels/cpu/emit/translator.h"
#include "kernels/cpu/llvm_setup.h"
#include "kernels/cpu/object_set.h"
#include "kernels/cpu/support/helper_pool.h"
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

// A part of the plan: an LLVM module with a context of its own. One thread at a time may use a
// context.
struct Part {
  explicit Part(llvm::TargetMachine& machine)
      : module(std::make_unique<llvm::Module>("acceld", context)) {
    module->setTargetTriple(machine.getTargetTriple().str());
    module->setDataLayout(machine.createDataLayout());
    module->setPICLevel(llvm::PICLevel::BigPIC);
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::string optimized_text;
  absl::StatusOr<std::string> object = absl::InternalError("not translated");
};

absl::StatusOr<std::string> Translate(Part& part, TranslatorPool& translators, bool keeps_text) {
#ifndef NDEBUG
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*part.module, &stream)) {
    return absl::InternalError(absl::StrCat("printed LLVM IR is malformed: ", stream.str()));
  }
#endif
  ACCELD_ASSIGN_OR_RETURN(const TranslatorPool::Lease translator, translators.Take());
  OptimizeModule(*part.module, translator->machine(), translators.target());
  ACCELD_RETURN_IF_ERROR(CheckMayContinue("generating code"));
  if (keeps_text) part.optimized_text = TextOf(*part.module);
  return translator->Translate(*part.module);
}

}  // namespace

struct CpuCompiler::Impl {
  explicit Impl(CpuTarget target) : translators(std::move(target)) {}

  TranslatorPool translators;
  // The threads that translate parts. Those that work for running programs are others, so that a
  // compile does not take cores from them without the scheduler's knowledge.
  HelperPool helpers;
};

CpuCompiler::CpuCompiler(CpuTarget target) : impl_(std::make_unique<Impl>(std::move(target))) {}

CpuCompiler::~CpuCompiler() = default;

const CpuTarget& CpuCompiler::target() const { return impl_->translators.target(); }

absl::StatusOr<std::string> CpuCompiler::Compile(const Plan& plan, CpuDumps* dumps,
                                                 const StopFlag* stop) const {
  const ContainedWork work({.stop = stop});
  ACCELD_RETURN_IF_ERROR(CheckPlan(plan));
  ACCELD_RETURN_IF_ERROR(CheckMayContinue("generating code"));
  InitializeLlvm();
  const PlanSplit split = SplitPlan(plan);
  std::vector<std::unique_ptr<Part>> parts;
  std::vector<std::unique_ptr<CodeContext>> codes;
  {
    ACCELD_ASSIGN_OR_RETURN(const TranslatorPool::Lease translator, impl_->translators.Take());
    for (size_t i = 0; i < split.num_parts; ++i) {
      parts.push_back(std::make_unique<Part>(translator->machine()));
      codes.push_back(std::make_unique<CodeContext>(target(), *parts[i]->module));
    }
  }
  EmitPlan(codes, split, plan);
  ACCELD_RETURN_IF_ERROR(CheckMayContinue("generating code"));
  for (const auto& part : parts) {
    if (dumps != nullptr) dumps->llvm_ir += TextOf(*part->module);
  }
  std::atomic<size_t> next{0};
  const auto translate = [&, bounds = ContainedWork::Bounds()] {
    const ContainedWork part_of_work(bounds);
    for (size_t i = next.fetch_add(1); i < parts.size(); i = next.fetch_add(1)) {
      const absl::Status wanted = CheckMayContinue("generating code");
      parts[i]->object =
          wanted.ok() ? Translate(*parts[i], impl_->translators, dumps != nullptr) : wanted;
    }
  };
  // hardware_concurrency() reads files and takes as long as a small LLVM pass, so it is called
  // once.
  static const size_t threads = std::max(1u, std::thread::hardware_concurrency());
  impl_->helpers.Run(static_cast<int>(std::min(parts.size(), threads)) - 1, translate);

  std::vector<std::string> objects;
  for (const auto& part : parts) {
    ACCELD_RETURN_IF_ERROR(part->object.status());
    if (dumps != nullptr) dumps->optimized_llvm_ir += part->optimized_text;
    objects.push_back(*std::move(part->object));
  }
  return PackObjects(objects);
}

}  // namespace acceld::kernels::cpu
