#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/cli/documents.h"
#include "common/cli/walk.h"

namespace acceld::cli {
namespace {

// The function prints the command that the preceding words name, "" for the program itself. The
// value of an option names no command.
constexpr char kBegin[] = R"(# fish completion for @PROGRAM@; made by: @PROGRAM@ --generate fish
function @FUNCTION@
    set -l path ''
    set -l value ''
    for word in (commandline -opc)[2..-1]
        if test -n "$value"
            set value ''
            continue
        end
        switch "$path:$word"
@STEPS@
        end
    end
    echo $path
end
complete -c @PROGRAM@ -f
)";

std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}, {"\n", " "}}),
                      "'");
}

}  // namespace

std::string FishCompletion(const Command& program) {
  const std::string function = "_" + FunctionName(program.name, "path");
  std::vector<std::string> own_steps, common_steps, rows;
  ForEachCommand(program, [&](const Command& command, const std::string& path) {
    const std::string condition =
        path.empty() ? "" : absl::StrCat(" -n 'test (", function, ") = \"", path, "\"'");
    for (const Command& sub : command.commands) {
      const std::string below = absl::StrCat(path, path.empty() ? "" : " ", sub.name);
      own_steps.push_back(absl::StrCat("            case '", path, ":", sub.name,
                                       "'\n                set path '", below, "'"));
      rows.push_back(absl::StrCat("complete -c ", program.name, " -n 'test (", function, ") = \"",
                                  path, "\"' -a ", sub.name, " -d ", Quoted(sub.help)));
    }
    for (const Option& argument : command.arguments) {
      if (argument.takes_path()) {
        rows.push_back(absl::StrCat("complete -c ", program.name, condition, " -F"));
      }
    }
    for (const Option& option : command.options) {
      std::string row = absl::StrCat("complete -c ", program.name, condition);
      std::vector<std::string> words;
      for (const std::string& name : option.names) {
        const bool is_long = name[1] == '-';
        absl::StrAppend(&row, is_long ? " -l " : " -s ", name.substr(is_long ? 2 : 1));
        words.push_back(absl::StrCat("'", path.empty() ? "*" : path, ":", name, "'"));
      }
      if (option.takes_value()) {
        absl::StrAppend(&row, option.takes_path() ? " -r -F" : " -x");
        (path.empty() ? common_steps : own_steps)
            .push_back(absl::StrCat("            case ", absl::StrJoin(words, " "),
                                    "\n                set value yes"));
      }
      if (!option.choices.empty()) {
        absl::StrAppend(&row, " -a ", Quoted(absl::StrJoin(option.choices, " ")));
      }
      rows.push_back(absl::StrCat(row, " -d ", Quoted(option.help)));
    }
  });
  own_steps.insert(own_steps.end(), common_steps.begin(), common_steps.end());
  return absl::StrReplaceAll(kBegin, {{"@PROGRAM@", program.name},
                                      {"@FUNCTION@", function},
                                      {"@STEPS@", absl::StrJoin(own_steps, "\n")}}) +
         absl::StrJoin(rows, "\n") + "\n";
}

}  // namespace acceld::cli
