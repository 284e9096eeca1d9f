// Every file in passes/ and plans/: a program, the stages of the compiler that run, and the text
// that must come out (text_case.h). A new file is a new test. With ACCELD_UPDATE_TEXT_TESTS=1 the
// files are rewritten to what comes out now; read the difference before committing it.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "gtest/gtest.h"
#include "server/compiler/pipeline.h"
#include "server/compiler/plan/build_plan.h"
#include "tests/programs/text_case.h"
#include "tests/support/source_path.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

namespace fs = std::filesystem;

constexpr size_t kProgramsPerPass = 3;

// Relative to this folder.
std::vector<std::string> Files() {
  std::vector<std::string> files;
  const fs::path root = testing::SourcePath("tests/programs");
  for (const char* folder : {"passes", "plans"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".mlir") {
        files.push_back(entry.path().lexically_relative(root).string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::unique_ptr<const codegen::CodeGenerator> FindTarget(absl::string_view name) {
  if (name.empty()) return std::make_unique<PlanOnlyGenerator>();
  if (name == "cuda") return std::make_unique<CublasLtPlanGenerator>();
  return nullptr;
}

absl::StatusOr<ir::Module> RunStage(const std::string& stage, const ir::Module& module,
                                    const codegen::CodeGenerator& target) {
  if (stage == "pipeline") return Optimize(module, {}, target);
  const Pass* pass = FindPass(stage);
  if (pass == nullptr) {
    const auto name = [](std::string* out, const Pass& known) { absl::StrAppend(out, known.name); };
    return absl::InvalidArgumentError(absl::StrCat("there is no stage '", stage,
                                                   "'; expected plan, pipeline, ",
                                                   absl::StrJoin(Pipeline(), ", ", name)));
  }
  ACCELD_ASSIGN_OR_RETURN(ir::Module result, (*pass)(module, target));
  ACCELD_RETURN_IF_ERROR(ir::Verify(result));
  return result;
}

// The steps of a plan; its kernels have tests of their own.
std::string StepsOf(const kernels::Plan& plan) {
  const std::string text = kernels::ToString(plan);
  const size_t kernels = text.find("\n\n");
  return kernels == std::string::npos ? text : text.substr(0, kernels + 1);
}

// Processes get different arguments.
std::vector<ir::Literal> ArgumentsFor(const ir::Module& module, int process) {
  std::vector<ir::Literal> arguments;
  for (const ir::Type& type : module.functions[0].ParameterTypes()) {
    const int seed = 2 * process + static_cast<int>(arguments.size());
    arguments.push_back(SomeValues(type.tensor(), seed));
  }
  return arguments;
}

// Returns the results of all processes of the program, one process after the other.
absl::StatusOr<std::vector<ir::Literal>> ResultsOf(const ir::Module& module) {
  if (module.grid.size() == 1) {
    return ir::Interpret(module, "main", ArgumentsFor(module, /*process=*/0));
  }
  std::vector<std::vector<ir::Literal>> arguments;
  for (int process = 0; process < module.grid.size(); ++process) {
    arguments.push_back(ArgumentsFor(module, process));
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<std::vector<ir::Literal>> results,
                          ir::InterpretProcesses(module, "main", arguments));
  std::vector<ir::Literal> all;
  for (const std::vector<ir::Literal>& some : results) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

// A window over a whole axis takes the interpreter the square of its length.
bool HasLongWindow(const ir::Module& module) {
  constexpr int64_t kMaxSteps = 10'000'000;
  const ir::Function& main = module.functions[0];
  return std::any_of(main.body.ops.begin(), main.body.ops.end(), [&](const ir::Op& op) {
    if (op.kind != ir::OpKind::kReduceWindow) return false;
    int64_t steps = main.TensorOf(op.results[0]).num_elements();
    for (int64_t size : op.As<ir::WindowAttributes>().window_dimensions) steps *= size;
    return steps > kMaxSteps;
  });
}

// What the passes promise: the same bits. Programs that the interpreter can't run, not soon, or not
// without the client that they ask, are only text.
void ExpectSameResults(const ir::Module& before, const ir::Module& after) {
  if (HasLongWindow(before)) return;
  const auto expected = ResultsOf(before);
  if (absl::IsUnimplemented(expected.status()) || absl::IsFailedPrecondition(expected.status())) {
    return;
  }
  ASSERT_TRUE(expected.ok()) << expected.status();
  const auto actual = ResultsOf(after);
  ASSERT_TRUE(actual.ok()) << actual.status();
  ASSERT_EQ(expected->size(), actual->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    EXPECT_EQ((*expected)[i].DenseBytes(), (*actual)[i].DenseBytes()) << "result " << i;
  }
}

std::string OutputOf(const TextCase& text_case) {
  const std::unique_ptr<const codegen::CodeGenerator> target = FindTarget(text_case.target);
  if (target == nullptr) return absl::StrCat("error: no target '", text_case.target, "'\n");
  absl::StatusOr<ir::Module> module = ir::ParseModule(text_case.head, text_case.path);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "";
  const ir::Module input = *module;
  for (const std::string& stage : text_case.stages) {
    if (stage == "plan") {
      const absl::StatusOr<kernels::Plan> plan = BuildPlan(*module, *target);
      if (!plan.ok()) return absl::StrCat("error: ", plan.status().ToString(), "\n");
      return StepsOf(*plan);
    }
    absl::StatusOr<ir::Module> result = RunStage(stage, *module, *target);
    if (!result.ok()) return absl::StrCat("error: ", result.status().ToString(), "\n");
    module = *std::move(result);
  }
  ExpectSameResults(input, *module);
  return ir::PrintModule(*module);
}

class CompilerTextTest : public ::testing::TestWithParam<std::string> {};

TEST_P(CompilerTextTest, GivesTheExpectedText) {
  const absl::StatusOr<TextCase> text_case =
      ReadTextCase(testing::SourcePath(absl::StrCat("tests/programs/", GetParam())));
  ASSERT_TRUE(text_case.ok()) << text_case.status();
  const std::string actual = OutputOf(*text_case);
  if (actual == text_case->expected) return;
  if (std::getenv("ACCELD_UPDATE_TEXT_TESTS") != nullptr) {
    ASSERT_TRUE(RewriteTextCase(*text_case, actual).ok());
    return;
  }
  ADD_FAILURE() << text_case->path << ", - expected, + actual:\n"
                << DiffLines(text_case->expected, actual)
                << "ACCELD_UPDATE_TEXT_TESTS=1 rewrites the file";
}

std::string TestNameOf(const ::testing::TestParamInfo<std::string>& file) {
  std::string name = fs::path(file.param).replace_extension().string();
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !absl::ascii_isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, CompilerTextTest, ::testing::ValuesIn(Files()), TestNameOf);

TEST(CompilerTextCoverageTest, EveryPassHasItsPrograms) {
  std::map<std::string, size_t> programs;
  for (const std::string& file : Files()) {
    ++programs[fs::path(file).parent_path().filename().string()];
  }
  for (const Pass& pass : Pipeline()) {
    const std::string name(pass.name);
    EXPECT_GE(programs[name], kProgramsPerPass) << "add programs to passes/" << name;
  }
}

TEST(DiffLinesTest, MarksWhatDiffers) {
  EXPECT_EQ(DiffLines("a\nb\nc", "a\nb\nc"), "");
  EXPECT_EQ(DiffLines("a\nb\nc", "a\nx\nc\nd"), "  a\n- b\n+ x\n  c\n+ d\n");
}

}  // namespace
}  // namespace acceld::compiler
