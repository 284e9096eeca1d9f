#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/cli/documents.h"
#include "common/cli/walk.h"

namespace acceld::cli {
namespace {

// Escapes text for a specification of _arguments in single quotes.
std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(
      text,
      {{"\\", "\\\\"}, {"'", "'\\''"}, {"\n", " "}, {":", "\\:"}, {"[", "\\["}, {"]", "\\]"}});
}

// Returns the part of a specification that completes the option's value: ":FILE:_files".
std::string ValueOf(const Option& option) {
  std::string action = " ";
  if (option.takes_path()) action = option.value == "FOLDER" ? "_files -/" : "_files";
  if (!option.choices.empty()) action = absl::StrCat("(", absl::StrJoin(option.choices, " "), ")");
  return absl::StrCat(":", Escaped(option.value), ":", action);
}

// Appends a specification of _arguments for each name of the option.
void AppendOption(const Option& option, std::string& out) {
  for (const std::string& name : option.names) {
    const bool is_long = name[1] == '-';
    absl::StrAppend(&out, " \\\n    '*", name, option.takes_value() ? (is_long ? "=" : "+") : "",
                    "[", Escaped(option.help), "]", option.takes_value() ? ValueOf(option) : "",
                    "'");
  }
}

std::string Function(const Command& command, const Command& program, const std::string& path) {
  const std::string name = FunctionName(program.name, path);
  std::string out =
      absl::StrCat(name, "() {\n  local context state state_descr line\n  typeset -A opt_args\n",
                   "  _arguments -S", command.commands.empty() ? "" : " -C");
  for (const Option& option : command.options) AppendOption(option, out);
  if (!path.empty()) {
    for (const Option& option : program.options) AppendOption(option, out);
  }
  for (size_t i = 0; i < command.arguments.size(); ++i) {
    const Option& argument = command.arguments[i];
    absl::StrAppend(&out, " \\\n    '", i + 1, ":", Escaped(argument.names.front()), ":",
                    argument.takes_path() ? "_files" : " ", "'");
  }
  if (command.commands.empty()) return out + "\n}\n";
  absl::StrAppend(&out, " \\\n    '1:command:->command' '*::argument:->argument'\n",
                  "  case $state in\n    command)\n      local -a commands=(");
  for (const Command& sub : command.commands) {
    absl::StrAppend(&out, "\n        '", sub.name, ":",
                    absl::StrReplaceAll(sub.help, {{"'", "'\\''"}, {":", "\\:"}}), "'");
  }
  absl::StrAppend(&out, "\n      )\n      _describe command commands\n      ;;\n",
                  "    argument)\n      case $line[1] in\n");
  for (const Command& sub : command.commands) {
    const std::string below = absl::StrCat(path, path.empty() ? "" : " ", sub.name);
    absl::StrAppend(&out, "        ", sub.name, ") ", FunctionName(program.name, below), " ;;\n");
  }
  return out + "      esac\n      ;;\n  esac\n}\n";
}

}  // namespace

std::string ZshCompletion(const Command& program) {
  std::string out =
      absl::StrCat("#compdef ", program.name, "\n# Made by: ", program.name, " --generate zsh\n");
  ForEachCommand(program, [&](const Command& command, const std::string& path) {
    absl::StrAppend(&out, Function(command, program, path));
  });
  // The script is either loaded as the body of the function of this name or read by `source`.
  const std::string function = FunctionName(program.name, "");
  return absl::StrCat(out, "if [[ $funcstack[1] == ", function, " ]]; then\n  ", function,
                      " \"$@\"\nelse\n  compdef ", function, " ", program.name, "\nfi\n");
}

}  // namespace acceld::cli
