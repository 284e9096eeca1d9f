#include "server/compiler/compiler.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/ir/fingerprint.h"
#include "common/ir/specialize/specialize.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "common/memory/allocation.h"
#include "kernels/ir/analysis/bounded_duration.h"
#include "kernels/ir/analysis/plan_work.h"
#include "server/compiler/dump.h"
#include "server/compiler/pipeline.h"
#include "server/compiler/plan/build_plan.h"
#include "server/compiler/specialize_processes.h"
#include "server/compiler/spmd/partition.h"

namespace acceld::compiler {
namespace {

void DumpPlan(const kernels::Plan& plan, const std::vector<CompileStep>& steps, Dump& dump) {
  dump.Write("plan.txt", kernels::ToString(plan));
  std::string text;
  for (const kernels::Kernel& kernel : plan.kernels) {
    absl::StrAppend(&text, kernels::ToString(kernel), "\n");
  }
  dump.Write("kernels.txt", text);
  text.clear();
  for (const CompileStep& step : steps) {
    const std::chrono::duration<double, std::milli> took = step.end - step.begin;
    absl::StrAppend(&text, absl::StrFormat("%9.3f ms  ", took.count()), step.name, "\n");
  }
  dump.Write("times.txt", text);
}

}  // namespace

std::string KeyOf(const CompileOptions& options) {
  std::vector<std::string> passes = options.disabled_passes;
  std::sort(passes.begin(), passes.end());
  passes.erase(std::unique(passes.begin(), passes.end()), passes.end());
  return passes.empty() ? "" : absl::StrCat("without ", absl::StrJoin(passes, ","));
}

namespace {

// Replaces a program for several processes by that of one of them, which takes arguments of these
// types.
absl::Status PartitionFor(absl::Span<const ir::TensorType> argument_types, ir::Module& module) {
  ACCELD_ASSIGN_OR_RETURN(spmd::PartitionedProgram program, spmd::Partition(module));
  module = std::move(program.module);
  if (const absl::Status valid = ir::Verify(module); !valid.ok()) {
    return absl::InternalError(absl::StrCat("stage partition broke the module: ", valid.message()));
  }
  std::vector<ir::TensorType> expected;
  for (const ir::Type& type : module.functions[0].ParameterTypes()) {
    expected.push_back(type.tensor());
  }
  return CheckProcessArguments(expected, argument_types);
}

absl::StatusOr<hal::Executable> CompileContained(const ir::Module& module, absl::string_view entry,
                                                 absl::Span<const ir::TensorType> argument_types,
                                                 const codegen::CodeGenerator& generator,
                                                 const CompileOptions& options,
                                                 std::vector<CompileStep>* steps,
                                                 const StopFlag* stop) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<CompileStep> own_steps;
  if (steps == nullptr) steps = &own_steps;
  auto stage_began = start;
  // Records a stage that lasted from the end of the previous stage until now.
  const auto end_stage = [&](absl::string_view name) {
    const auto now = std::chrono::steady_clock::now();
    steps->push_back({name, std::exchange(stage_began, now), now});
  };
  const bool has_processes = module.grid.size() > 1;
  ACCELD_ASSIGN_OR_RETURN(ir::Module specialized,
                          has_processes ? SpecializeForProcesses(module, entry)
                                        : ir::Specialize(module, entry, argument_types));
  if (const absl::Status valid = ir::Verify(specialized); !valid.ok()) {
    return absl::InternalError(
        absl::StrCat("stage specialize broke the module: ", valid.message()));
  }
  const std::string digest =
      options.dump_dir.empty() ? "" : ir::Fingerprint(specialized, "main").ToHex();
  end_stage("specialize");
  Dump dump(options.dump_dir, module.name.empty() ? entry : module.name, digest);
  if (dump.enabled()) dump.Write("00-input.mlir", ir::PrintModule(specialized));
  if (has_processes) {
    ACCELD_RETURN_IF_ERROR(PartitionFor(argument_types, specialized));
    end_stage("partition");
    if (dump.enabled()) dump.Write("00-partitioned.mlir", ir::PrintModule(specialized));
  }

  ACCELD_ASSIGN_OR_RETURN(
      const ir::Module optimized,
      RunPipeline(std::move(specialized), generator, options.disabled_passes, dump, steps, stop));
  ACCELD_RETURN_IF_ERROR(CheckStop(stop));
  stage_began = std::chrono::steady_clock::now();
  ACCELD_ASSIGN_OR_RETURN(kernels::Plan plan, BuildPlan(optimized, generator));
  end_stage("plan");
  ACCELD_RETURN_IF_ERROR(CheckMayContinue("planning a program"));
  ACCELD_RETURN_IF_ERROR(kernels::CheckWork(plan));
  if (dump.enabled()) DumpPlan(plan, *steps, dump);

  hal::Executable executable;
  std::vector<codegen::CodeGenerator::Dump> code_dumps;
  ACCELD_ASSIGN_OR_RETURN(executable.code,
                          generator.Generate(plan, dump.enabled() ? &code_dumps : nullptr, stop));
  end_stage("generate code");
  for (const codegen::CodeGenerator::Dump& code_dump : code_dumps) {
    dump.Write(code_dump.file_name, code_dump.text);
  }
  executable.program_name = module.name.empty() ? std::string(entry) : module.name;
  executable.architecture = generator.architecture();
  executable.build_id = BuildId();
  executable.arguments = plan.entry().arguments;
  executable.results = plan.entry().results;
  executable.arena_bytes = plan.entry().arena_bytes;
  executable.may_share = plan.may_share;
  executable.steady = kernels::HasBoundedDuration(plan);
  executable.has_collectives = kernels::HasCollectives(plan);
  executable.constants = std::move(plan.constants);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  executable.compile_ms = took.count();
  return executable;
}

}  // namespace

absl::StatusOr<hal::Executable> Compile(const ir::Module& module, absl::string_view entry,
                                        absl::Span<const ir::TensorType> argument_types,
                                        const codegen::CodeGenerator& generator,
                                        const CompileOptions& options,
                                        std::vector<CompileStep>* steps, const StopFlag* stop) {
  return ContainAllocationFailure("compiling a program", {.stop = stop}, [&] {
    return CompileContained(module, entry, argument_types, generator, options, steps, stop);
  });
}

}  // namespace acceld::compiler
