#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/cli/command_tree.h"

namespace acceld::cli {

// Calls `visit(command, path)` for `command` and all its subcommands, a command before its
// subcommands. `path` lists the names of the commands below the program: "" for the program itself,
// "run", "cache ls".
template <typename Visit>
void ForEachCommand(const Command& command, const Visit& visit, const std::string& path = "") {
  visit(command, path);
  for (const Command& sub : command.commands) {
    ForEachCommand(sub, visit, absl::StrCat(path, path.empty() ? "" : " ", sub.name));
  }
}

// Returns the name of the shell function for the command at `path`: "_accelctl_cache_ls".
inline std::string FunctionName(const std::string& program, const std::string& path) {
  std::string name = "_" + program;
  if (!path.empty()) name += "_" + path;
  for (char& c : name) {
    if (c == ' ' || c == '-' || c == '.') c = '_';
  }
  return name;
}

}  // namespace acceld::cli
