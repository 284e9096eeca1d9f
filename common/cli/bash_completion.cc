#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/cli/documents.h"
#include "common/cli/walk.h"

namespace acceld::cli {
namespace {

// In the script, `path` is the command that the preceding words name ("" for the program itself),
// and `value` is set if the last of these words is an option that takes a value. Bash passes
// "--out=x" as three words.
constexpr char kScript[] = R"(# bash completion for @PROGRAM@; made by: @PROGRAM@ --generate bash
@FUNCTION@() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} path='' value='' words='' files='' i
  if [[ $current == = ]]; then
    current=''
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == = ]]; then
      value=yes
    elif [[ -n $value ]]; then
      value=''
    else
      case "$path:${COMP_WORDS[i]}" in
@STEPS@
      esac
    fi
  done
  if [[ -n $value ]]; then
    case "$path:$option" in
@VALUES@
    esac
  else
    case $path in
@WORDS@
    esac
  fi
  mapfile -t COMPREPLY < <(
    compgen -W "$words" -- "$current"
    if [[ -n $files && $current != -* ]]; then compgen -f -- "$current"; fi
  )
  if [[ -n $files ]]; then compopt -o filenames 2>/dev/null; fi
}
complete -F @FUNCTION@ @PROGRAM@
)";

// Returns the pattern of an option for `case "$path:$word"`. Options of the program match behind
// every command.
std::string Pattern(const std::string& path, const Option& option) {
  return absl::StrJoin(option.names, " | ", [&](std::string* out, const std::string& name) {
    absl::StrAppend(out, path.empty() ? "*:" : absl::StrCat("'", path, "':"), name);
  });
}

// The branches of a `case`. Those of commands precede those of the program, because the first match
// is taken.
struct Rows {
  std::vector<std::string> own, common;
  void Add(const std::string& path, std::string row) {
    (path.empty() ? common : own).push_back(std::move(row));
  }
  std::string Text() const {
    return absl::StrCat(absl::StrJoin(own, "\n"), own.empty() ? "" : "\n",
                        absl::StrJoin(common, "\n"));
  }
};

}  // namespace

std::string BashCompletion(const Command& program) {
  std::vector<std::string> everywhere;
  for (const Option& option : program.options) everywhere.push_back(option.names.back());
  Rows steps, values;
  std::vector<std::string> word_rows;
  ForEachCommand(program, [&](const Command& command, const std::string& path) {
    std::vector<std::string> words;
    bool files = false;
    for (const Command& sub : command.commands) {
      const std::string below = absl::StrCat(path, path.empty() ? "" : " ", sub.name);
      steps.own.push_back(
          absl::StrCat("        '", path, "':", sub.name, ") path='", below, "' ;;"));
      words.push_back(sub.name);
    }
    for (const Option& argument : command.arguments) files |= argument.takes_path();
    for (const Option& option : command.options) {
      if (!path.empty() && option.names.back() != "--help") words.push_back(option.names.back());
      if (!option.takes_value()) continue;
      const std::string pattern = Pattern(path, option);
      steps.Add(path, absl::StrCat("        ", pattern, ") value=yes ;;"));
      values.Add(
          path,
          absl::StrCat(
              "      ", pattern, ") ", option.takes_path() ? "files=yes" : "words='",
              option.takes_path() ? "" : absl::StrCat(absl::StrJoin(option.choices, " "), "'"),
              " ;;"));
    }
    words.insert(words.end(), everywhere.begin(), everywhere.end());
    word_rows.push_back(absl::StrCat("      '", path, "') words='", absl::StrJoin(words, " "), "'",
                                     files ? " files=yes" : "", " ;;"));
  });
  return absl::StrReplaceAll(kScript, {{"@PROGRAM@", program.name},
                                       {"@FUNCTION@", FunctionName(program.name, "")},
                                       {"@STEPS@", steps.Text()},
                                       {"@VALUES@", values.Text()},
                                       {"@WORDS@", absl::StrJoin(word_rows, "\n")}});
}

}  // namespace acceld::cli
