#include "tests/conformance/planned_programs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/ir/text.h"
#include "tests/conformance/program_files.h"
#include "tests/support/source_path.h"
#include "tests/unit/compiler/kernel_plan.h"

namespace acceld::testing {
namespace {

absl::Status AddPlans(const std::filesystem::path& path, const ir::CheckOverride* override,
                      std::vector<PlannedProgram>& programs) {
  const std::string name = path.filename().string();
  ACCELD_ASSIGN_OR_RETURN(const ir::Module module, ir::ParseModule(ReadFile(path), name));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<std::string> entries, ir::ConformanceEntries(module));
  for (const std::string& entry : entries) {
    PlannedProgram program{.name = name, .override = override};
    ACCELD_ASSIGN_OR_RETURN(program.parts, ir::SplitConformanceProgram(module, entry));
    ACCELD_ASSIGN_OR_RETURN(program.plan,
                            compiler::PlanOfKernels(program.parts.program, program.parts.inputs));
    programs.push_back(std::move(program));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PlannedPrograms> PlanConformancePrograms(const std::string& folder) {
  const std::string list = SourcePath("tests/conformance/overrides.txt");
  PlannedPrograms all;
  ACCELD_ASSIGN_OR_RETURN(ir::CheckOverrides overrides,
                          ir::CheckOverrides::Parse(ReadFile(list), list));
  all.overrides = std::make_unique<const ir::CheckOverrides>(std::move(overrides));
  for (const char* part : {"stablehlo", "extra"}) {
    for (const auto& path : ProgramsIn(std::filesystem::path(folder) / part)) {
      const ir::CheckOverride* override = all.overrides->Find(path.filename().string());
      if (override != nullptr && override->skip) {
        ++all.skipped;
        continue;
      }
      ACCELD_RETURN_IF_ERROR(Annotate(AddPlans(path, override, all.programs), path.string()));
    }
  }
  std::map<std::string, size_t> numbers;  // by the kernel's text
  for (PlannedProgram& program : all.programs) {
    for (const kernels::Kernel& kernel : program.plan.kernels) {
      kernels::Kernel unnamed = kernel;
      unnamed.name.clear();
      const auto [at, is_new] = numbers.emplace(ToString(unnamed), all.kernels.size());
      if (is_new) all.kernels.push_back(&kernel);
      program.kernels.push_back(at->second);
    }
  }
  return all;
}

}  // namespace acceld::testing
