#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "common/ir/fingerprint.h"
#include "common/ir/text.h"
#include "common/ir/wire/wire.h"
#include "gtest/gtest.h"

// Reads the programs of ACCELD_CONFORMANCE_DIR: `stablehlo` (openxla/stablehlo,
// stablehlo/testdata), `extra` in the same form, and `errors`, whose index.tsv says where each is
// refused.
namespace acceld::ir {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

std::vector<fs::path> ProgramsIn(const fs::path& folder) {
  std::vector<fs::path> paths;
  if (!fs::is_directory(folder)) return paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".mlir") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Locations are not part of what a program means and differ between two spellings of it.
void DropLocations(Region& region) {
  for (Op& op : region.ops) {
    op.location = {};
    for (Region& inner : op.regions) DropLocations(inner);
  }
}
void DropLocations(Module& module) {
  for (Function& function : module.functions) DropLocations(function.body);
}

class ConformanceTextTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("ACCELD_CONFORMANCE_DIR");
    if (folder == nullptr) {
      GTEST_SKIP() << "ACCELD_CONFORMANCE_DIR is not set: no conformance programs to read";
    }
    folder_ = folder;
    ASSERT_TRUE(fs::is_directory(folder_ / "stablehlo")) << folder_ << " has no folder stablehlo";
  }

  std::vector<fs::path> AllPrograms() const {
    std::vector<fs::path> paths = ProgramsIn(folder_ / "stablehlo");
    for (const fs::path& path : ProgramsIn(folder_ / "extra")) paths.push_back(path);
    return paths;
  }

  fs::path folder_;
};

TEST_F(ConformanceTextTest, EveryProgramIsReadOrNamesAnUnsupportedOp) {
  int parsed = 0;
  std::map<std::string, int> unsupported;
  for (const fs::path& path : AllPrograms()) {
    const auto module = ParseModule(ReadFile(path), path.filename().string());
    if (module.ok()) {
      ++parsed;
      continue;
    }
    const std::string message(module.status().message());
    EXPECT_EQ(module.status().code(), absl::StatusCode::kUnimplemented) << message;
    EXPECT_TRUE(absl::StrContains(message, "is not supported") ||
                absl::StrContains(message, "chlo."))
        << message;
    const std::vector<std::string> parts = absl::StrSplit(message, '\'');
    ++unsupported[parts.size() > 1 ? parts[1] : message];
  }
  int refused = 0;
  for (const auto& [op, count] : unsupported) {
    std::cout << "unsupported " << op << ": " << count << "\n";
    refused += count;
  }
  std::cout << parsed << " read, " << refused << " unsupported\n";
  EXPECT_GT(parsed, 0);
}

TEST_F(ConformanceTextTest, ProgramsSurviveTextAndWire) {
  for (const fs::path& path : AllPrograms()) {
    auto module = ParseModule(ReadFile(path), path.filename().string());
    if (!module.ok()) continue;
    DropLocations(*module);
    const Digest fingerprint = Fingerprint(*module, "main");

    const std::string printed = PrintModule(*module);
    auto again = ParseModule(printed, path.filename().string() + " printed");
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(PrintModule(*again), printed) << path;
    DropLocations(*again);
    EXPECT_TRUE(*again == *module) << path << "\n" << printed.substr(0, 4000);
    EXPECT_EQ(Fingerprint(*again, "main"), fingerprint) << path;

    const auto received = FromProto(ToProto(*module));
    ASSERT_TRUE(received.ok()) << path << ": " << received.status();
    EXPECT_EQ(Fingerprint(*received, "main"), fingerprint) << path;
    EXPECT_TRUE(*received == *module) << path;
  }
}

TEST_F(ConformanceTextTest, BadProgramsAreRefusedWithTheirPlace) {
  std::ifstream index(folder_ / "errors" / "index.tsv");
  std::string line;
  std::getline(index, line);  // the names of the columns
  int refused = 0;
  while (std::getline(index, line)) {
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    if (columns.size() < 3 || columns[2] != "parse_or_verify") continue;
    const auto module = ParseModule(ReadFile(folder_ / "errors" / columns[0]), columns[0]);
    ASSERT_FALSE(module.ok()) << columns[0] << " is accepted; the reference says " << line;
    EXPECT_TRUE(absl::StartsWith(module.status().message(), columns[0] + ":"))
        << module.status().message();
    std::cout << module.status().message().substr(0, 200) << "\n";
    ++refused;
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace acceld::ir
