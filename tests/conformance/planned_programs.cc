#include "tests/conformance/planned_programs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/ir/text.h"
#include "server/compiler/compiler.h"
#include "tests/conformance/program_files.h"

namespace acceld::testing {
namespace {

// Keeps the plan. There are no libraries, so that all but routines becomes kernels.
class PlanKeeper : public hal::CodeGenerator {
 public:
  std::string architecture() const override { return "kernels alone"; }
  bool SupportsMatmul(const kernels::MatmulStep&) const override { return false; }
  bool SupportsConvolution(const kernels::ConvolutionStep&) const override { return false; }
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan,
                                       std::vector<Dump>*) const override {
    kept = plan;
    return std::string();
  }
  mutable kernels::Plan kept;
};

absl::StatusOr<PlannedProgram> PlanOf(const std::filesystem::path& path) {
  PlannedProgram program{.name = path.filename().string()};
  ACCELD_ASSIGN_OR_RETURN(const ir::Module module, ir::ParseModule(ReadFile(path), program.name));
  ACCELD_ASSIGN_OR_RETURN(program.parts, ir::SplitConformanceProgram(module));
  std::vector<ir::TensorType> types;
  for (const ir::Literal& input : program.parts.inputs) types.push_back(input.type());
  const PlanKeeper keeper;
  ACCELD_RETURN_IF_ERROR(
      compiler::Compile(program.parts.program, "main", types, keeper, {}).status());
  program.plan = std::move(keeper.kept);
  return program;
}

}  // namespace

absl::StatusOr<PlannedPrograms> PlanConformancePrograms(const std::string& folder) {
  const std::string list = "tests/conformance/overrides.txt";
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
      absl::StatusOr<PlannedProgram> program = PlanOf(path);
      if (!program.ok()) return Annotate(program.status(), path.string());
      program->override = override;
      all.programs.push_back(*std::move(program));
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
