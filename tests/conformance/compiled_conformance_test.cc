#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/process.h"
#include "tests/support/source_path.h"

// The public conformance programs through a daemon: what it compiles, however it compiles and on
// however many threads, gives what they expect. The compiled path's half of
// interpreter_conformance_test.
namespace acceld::testing {
namespace {

// What one daemon is told, and the form of the programs that it gets.
struct Mode {
  std::string name, programs;
  std::vector<std::string> flags;
};

class CompiledConformance : public ::testing::TestWithParam<Mode> {};

TEST_P(CompiledConformance, PassesEveryProgram) {
  const char* folder = std::getenv("ACCELD_CONFORMANCE_DIR");
  if (folder == nullptr) GTEST_SKIP() << "ACCELD_CONFORMANCE_DIR is not set";
  std::vector<std::string> argv = {BinDir() + "/accelctl", "--local",
                                   "--local-flag=--no-disk-cache"};
  for (const std::string& flag : GetParam().flags) argv.push_back("--local-flag=" + flag);
  argv.insert(argv.end(), {"check", "--overrides", SourcePath("tests/conformance/overrides.txt")});
  for (const std::string& part : {GetParam().programs, std::string("extra")}) {
    const std::filesystem::path path = std::filesystem::path(folder) / part;
    if (std::filesystem::is_directory(path)) argv.push_back(path.string());
  }
  const CommandResult result = RunCommand(argv);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, ::testing::ContainsRegex("[1-9][0-9]* passed, 0 failed"));
  std::cout << result.output;
}

// Each setting of fusion and threads occurs in one of the two, each program in both.
INSTANTIATE_TEST_SUITE_P(
    Modes, CompiledConformance,
    ::testing::Values(
        Mode{"FusedOnTwoThreads", "stablehlo", {"--threads-per-device=2"}},
        Mode{"UnfusedOnOneThread", "bytecode", {"--threads-per-device=1", "--disable-pass=fuse"}}),
    [](const ::testing::TestParamInfo<Mode>& info) { return info.param.name; });

}  // namespace
}  // namespace acceld::testing
