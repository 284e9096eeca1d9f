#include "server/compiler/dump.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/compiler/compiler.h"
#include "server/compiler/pipeline.h"
#include "tests/unit/cache/temporary_folder.h"
#include "tests/unit/compiler/test_support.h"
#include "tests/unit/status_matchers.h"

namespace acceld::compiler {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

constexpr char kProgram[] = R"(module @chain {
  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    %0 = stablehlo.sine %x : tensor<64xf32>
    %1 = stablehlo.negate %0 : tensor<64xf32>
    return %1 : tensor<64xf32>
  }
})";

// One that has text of its own to show.
class DumpingGenerator : public PlanOnlyGenerator {
 public:
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan, std::vector<Dump>* dumps,
                                       const StopFlag*) const override {
    if (dumps != nullptr) dumps->push_back({"code.ll", "; the code"});
    return PlanOnlyGenerator::Generate(plan, nullptr, nullptr);
  }
};

class DumpTest : public ::testing::Test {
 protected:
  absl::Status CompileTo(const std::string& dump_dir, std::vector<std::string> disabled = {},
                         const char* program = kProgram) {
    return Compile(Parse(program), "main", {{ir::DType::kF32, {64}}}, DumpingGenerator(),
                   {.dump_dir = dump_dir, .disabled_passes = std::move(disabled)})
        .status();
  }
  static std::vector<std::string> NamesIn(const fs::path& folder) {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  static std::string ContentOf(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  // What was logged while `run` ran.
  template <typename Run>
  static std::string LogOf(const Run& run) {
    ::testing::internal::CaptureStderr();
    run();
    return ::testing::internal::GetCapturedStderr();
  }
  fs::path OnlyFolder() const {
    const std::vector<std::string> names = NamesIn(folder_.path());
    EXPECT_EQ(names.size(), 1u);
    return names.empty() ? fs::path() : fs::path(folder_.path()) / names[0];
  }

  acceld::testing::TemporaryFolder folder_;
};

TEST_F(DumpTest, HoldsEveryStageByNumberAndName) {
  ASSERT_THAT(CompileTo(folder_.path()), IsOk());
  const fs::path folder = OnlyFolder();
  EXPECT_THAT(folder.filename().string(), ::testing::MatchesRegex("chain-[0-9a-f]{12}"));
  std::vector<std::string> expected = {"00-input.mlir", "plan.txt", "kernels.txt", "times.txt",
                                       "code.ll"};
  int number = 0;
  for (const Pass& pass : Pipeline()) {
    expected.push_back(absl::StrFormat("%02d-%s.mlir", ++number, std::string(pass.name)));
  }
  EXPECT_THAT(NamesIn(folder), UnorderedElementsAreArray(expected));
  EXPECT_THAT(ContentOf(folder / "00-input.mlir"), Not(HasSubstr("acceld.fusion")));
  const std::string last(Pipeline().back().name);
  EXPECT_THAT(ContentOf(folder / absl::StrFormat("%02d-%s.mlir", number, last)),
              HasSubstr("acceld.fusion"));
  EXPECT_THAT(ContentOf(folder / "plan.txt"), HasSubstr("launch fusion_"));
  EXPECT_THAT(ContentOf(folder / "times.txt"), HasSubstr(" ms  fuse\n"));
  EXPECT_EQ(ContentOf(folder / "code.ll"), "; the code");
}

TEST_F(DumpTest, EachProgramHasAFolderAndAnAgainCompiledOneItsOwn) {
  ASSERT_THAT(CompileTo(folder_.path()), IsOk());
  ASSERT_THAT(CompileTo(folder_.path()), IsOk());
  EXPECT_EQ(NamesIn(folder_.path()).size(), 1u);
  ASSERT_THAT(CompileTo(folder_.path(), {}, R"(module @chain {
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = stablehlo.cosine %x : tensor<64xf32>
      return %0 : tensor<64xf32>
    }
  })"),
              IsOk());
  EXPECT_EQ(NamesIn(folder_.path()).size(), 2u);
}

// Names come from clients.
TEST_F(DumpTest, NamesCannotLeaveTheFolder) {
  Dump dump(folder_.path(), "../../etc/" + std::string(500, 'x'), "0123456789abcdef");
  EXPECT_TRUE(dump.enabled());
  EXPECT_THAT(NamesIn(folder_.path()),
              ElementsAre("______etc_" + std::string(50, 'x') + "-0123456789ab"));
}

TEST_F(DumpTest, AFolderThatCannotBeMadeIsLoggedAndTheCompileGoesOn) {
  const std::string file = folder_.path() + "/file";
  std::ofstream(file) << "no folder";
  const std::string log = LogOf([&] { EXPECT_THAT(CompileTo(file + "/dumps"), IsOk()); });
  EXPECT_THAT(log, HasSubstr("dump: cannot make " + file + "/dumps/chain-"));
}

TEST_F(DumpTest, AFileThatCannotBeWrittenIsLoggedOnce) {
  Dump dump(folder_.path(), "f", "0123456789abcdef");
  fs::create_directory(OnlyFolder() / "taken.txt");
  const std::string log = LogOf([&] {
    dump.Write("taken.txt", "a");
    dump.Write("taken.txt", "a");
  });
  EXPECT_THAT(log, HasSubstr("dump: cannot write " + (OnlyFolder() / "taken.txt").string()));
  EXPECT_EQ(log.find("cannot write"), log.rfind("cannot write"));
  EXPECT_FALSE(dump.enabled());
}

TEST_F(DumpTest, WithoutADumpFolderNothingIsWritten) {
  Dump dump("", "f", "0123456789abcdef");
  EXPECT_FALSE(dump.enabled());
  EXPECT_THAT(LogOf([&] { dump.Write("a", "b"); }), IsEmpty());
}

TEST_F(DumpTest, DisabledPassesAreLeftOutEverywhereTheyStand) {
  ASSERT_THAT(CompileTo(folder_.path(), {"fuse", "cse"}), IsOk());
  for (const std::string& name : NamesIn(OnlyFolder())) {
    EXPECT_THAT(name, Not(HasSubstr("-fuse.mlir")));
    EXPECT_THAT(name, Not(HasSubstr("-cse.mlir")));
  }
  // The others keep their numbers.
  const auto inline_pass = std::find_if(Pipeline().begin(), Pipeline().end(),
                                        [](const Pass& pass) { return pass.name == "inline"; });
  const auto number = static_cast<int>(inline_pass - Pipeline().begin()) + 1;
  EXPECT_THAT(NamesIn(OnlyFolder()), Contains(absl::StrFormat("%02d-inline.mlir", number)));
  EXPECT_THAT(ContentOf(OnlyFolder() / "plan.txt"), Not(HasSubstr("fusion_")));
  EXPECT_THAT(ContentOf(OnlyFolder() / "times.txt"), Not(HasSubstr(" fuse\n")));
}

TEST_F(DumpTest, ADisabledPassThatDoesNotExistIsAnError) {
  EXPECT_THAT(CompileTo("", {"fuze"}), IsRefused("there is no compiler pass 'fuze'"));
}

}  // namespace
}  // namespace acceld::compiler
