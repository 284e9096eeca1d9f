#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "common/ir/bytecode.h"
#include "common/ir/fingerprint.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"

// The portable artifacts of ACCELD_CONFORMANCE_DIR/bytecode against the same programs as text.
namespace acceld::ir {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// StableHLO's tools write CHLO ops out as StableHLO before they make an artifact; acceld does so by
// formulas of its own. The text is then another program than the artifact.
bool HasChlo(const std::string& text) { return absl::StrContains(text, "chlo."); }

TEST(ConformanceBytecode, ArtifactsHaveTheFingerprintOfTheirText) {
  const char* folder = std::getenv("ACCELD_CONFORMANCE_DIR");
  if (folder == nullptr) {
    GTEST_SKIP() << "ACCELD_CONFORMANCE_DIR is not set: no artifacts to read";
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(folder) / "bytecode")) {
    if (entry.path().extension() == ".bc") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  ASSERT_FALSE(paths.empty());

  int equal = 0;
  int read = 0;
  std::map<std::string, int> unsupported;
  for (const fs::path& path : paths) {
    const std::string name = path.filename().string();
    const auto artifact = ReadBytecode(ReadFile(path), name);
    const std::string text = ReadFile(fs::path(folder) / "stablehlo" / path.stem());
    const auto twin = ParseModule(text, path.stem().string());
    if (!artifact.ok()) {
      const std::string message(artifact.status().message());
      EXPECT_EQ(artifact.status().code(), absl::StatusCode::kUnimplemented) << message;
      EXPECT_FALSE(twin.ok()) << "only the text can be read: " << message;
      const size_t op = message.rfind("op '");
      ++unsupported[op == std::string::npos ? message : message.substr(op)];
      continue;
    }
    ++read;
    if (HasChlo(text)) continue;
    ASSERT_TRUE(twin.ok()) << twin.status();
    const bool same = Fingerprint(*artifact, "main") == Fingerprint(*twin, "main");
    EXPECT_TRUE(same) << name << "\n"
                      << PrintModule(*artifact).substr(0, 2000) << "\n"
                      << PrintModule(*twin).substr(0, 2000);
    equal += same ? 1 : 0;
  }
  int refused = 0;
  for (const auto& [op, count] : unsupported) {
    std::cout << "unsupported " << op << ": " << count << "\n";
    refused += count;
  }
  std::cout << read << " read, " << equal << " equal to their text, " << refused
            << " unsupported\n";
}

}  // namespace
}  // namespace acceld::ir
