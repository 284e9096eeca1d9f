#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "common/ir/fingerprint.h"
#include "common/ir/program.h"
#include "gtest/gtest.h"
#include "tests/support/source_path.h"

// Artifacts that JAX exported, each beside the text of the same module
// (bytecode/export_artifacts.py). ACCELD_BYTECODE_DIR adds a folder of more of them.
namespace acceld::ir {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void CheckTwinsIn(const fs::path& folder) {
  int equal = 0;
  int unsupported = 0;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".bc") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_FALSE(paths.empty()) << folder;
  for (const fs::path& path : paths) {
    const auto artifact = ReadProgram(ReadFile(path), path.filename().string());
    const fs::path twin_path = fs::path(path).replace_extension();
    const auto twin = ReadProgram(ReadFile(twin_path), twin_path.filename().string());
    if (artifact.status().code() == absl::StatusCode::kUnimplemented &&
        twin.status().code() == absl::StatusCode::kUnimplemented) {
      std::cout << artifact.status().message() << "\n";
      ++unsupported;
      continue;
    }
    EXPECT_TRUE(artifact.ok()) << artifact.status();
    EXPECT_TRUE(twin.ok()) << twin.status();
    if (!artifact.ok() || !twin.ok()) continue;
    EXPECT_EQ(Fingerprint(*artifact, "main"), Fingerprint(*twin, "main")) << path;
    ++equal;
  }
  std::cout << folder << ": " << equal << " compared, " << unsupported << " unsupported\n";
}

TEST(BytecodeTwins, ArtifactsHaveTheFingerprintOfTheirText) {
  CheckTwinsIn(testing::SourcePath("tests/programs/bytecode"));
  if (const char* folder = std::getenv("ACCELD_BYTECODE_DIR")) CheckTwinsIn(folder);
}

}  // namespace
}  // namespace acceld::ir
