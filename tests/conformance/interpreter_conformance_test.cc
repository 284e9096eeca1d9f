#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "common/ir/conformance/conformance.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "tests/conformance/program_files.h"
#include "tests/support/source_path.h"

// The reference interpreter against the public conformance programs: what it gives is what all
// other tests believe. ACCELD_CONFORMANCE_DIR names the folder with stablehlo/ and extra/.
namespace acceld::ir {
namespace {

using testing::ProgramsIn;
using testing::ReadFile;

struct Tally {
  int passed = 0, failed = 0, unsupported = 0, skipped = 0;
};

void Report(const char* verdict, const std::string& name, absl::string_view why) {
  std::printf("%s %s: %.*s\n", verdict, name.c_str(), static_cast<int>(why.size()), why.data());
}

void Fail(const std::string& name, const absl::Status& status, Tally& tally) {
  const bool is_unsupported = status.code() == absl::StatusCode::kUnimplemented;
  ++(is_unsupported ? tally.unsupported : tally.failed);
  Report(is_unsupported ? "unsupported" : "FAILED", name, status.ToString());
}

void RunEntry(const Module& module, const std::string& entry, const std::string& name,
              const CheckOverride* override, Tally& tally) {
  std::vector<std::string> failures;
  const absl::Status status = [&]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(const ConformanceProgram program,
                            SplitConformanceProgram(module, entry));
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Literal> results,
                            InterpretConformanceProgram(program));
    failures = FailedChecks(program, results, override);
    return absl::OkStatus();
  }();
  if (!status.ok()) return Fail(name, status, tally);
  for (const std::string& failure : failures) Report("FAILED", name, failure);
  ++(failures.empty() ? tally.passed : tally.failed);
}

void RunModule(const std::filesystem::path& path, const CheckOverrides& overrides, Tally& tally) {
  const std::string name = path.filename().string();
  const CheckOverride* override = overrides.Find(name);
  if (override != nullptr && override->skip) {
    ++tally.skipped;
    return Report("skipped", name, override->reason);
  }
  const auto module = ParseModule(ReadFile(path), name);
  if (!module.ok()) return Fail(name, module.status(), tally);
  const auto entries = ConformanceEntries(*module);
  if (!entries.ok()) return Fail(name, entries.status(), tally);
  for (const std::string& entry : *entries) RunEntry(*module, entry, name, override, tally);
}

TEST(InterpreterConformance, PassesTheProgramsItSupports) {
  const char* folder = std::getenv("ACCELD_CONFORMANCE_DIR");
  if (folder == nullptr) GTEST_SKIP() << "ACCELD_CONFORMANCE_DIR is not set";
  const std::string list = testing::SourcePath("tests/conformance/overrides.txt");
  const auto overrides = CheckOverrides::Parse(ReadFile(list), list);
  ASSERT_TRUE(overrides.ok()) << overrides.status();

  Tally tally;
  for (const char* part : {"stablehlo", "extra"}) {
    for (const auto& path : ProgramsIn(std::filesystem::path(folder) / part)) {
      RunModule(path, *overrides, tally);
    }
  }
  std::printf("%d passed, %d failed, %d unsupported, %d skipped\n", tally.passed, tally.failed,
              tally.unsupported, tally.skipped);
  EXPECT_EQ(tally.failed, 0);
  EXPECT_GT(tally.passed, 0) << "no programs in " << folder;
}

}  // namespace
}  // namespace acceld::ir
