#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace acceld::testing {

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The .mlir files of a folder, in the order of their names; none where it is missing.
inline std::vector<std::filesystem::path> ProgramsIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> programs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".mlir") programs.push_back(entry.path());
  }
  std::sort(programs.begin(), programs.end());
  return programs;
}

}  // namespace acceld::testing
