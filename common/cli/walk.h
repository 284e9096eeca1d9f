#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/cli/command_tree.h"

namespace acceld::cli {

// Calls `visit` with each command and its path: "" for the program, "run", "cache ls".
template <typename Visit>
void ForEachCommand(const Command& command, const Visit& visit, const std::string& path = "") {
  visit(command, path);
  for (const Command& sub : command.commands) {
    ForEachCommand(sub, visit, absl::StrCat(path, path.empty() ? "" : " ", sub.name));
  }
}

// The name of a function in a shell: "_accelctl_cache_ls".
inline std::string FunctionName(const std::string& program, const std::string& path) {
  std::string name = "_" + program;
  if (!path.empty()) name += "_" + path;
  for (char& c : name) {
    if (c == ' ' || c == '-' || c == '.') c = '_';
  }
  return name;
}

}  // namespace acceld::cli
