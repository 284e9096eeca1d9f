#include "common/cli/help.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/cli/text.h"
#include "common/utf8.h"

namespace acceld::cli {
namespace {

// The column in which explanations begin.
constexpr size_t kIndent = 24;
// Wider lines are hard to read.
constexpr size_t kMostColumns = 120;

std::string Label(const Option& option, bool is_argument) {
  std::string label = absl::StrJoin(option.names, ", ");
  if (!is_argument && option.takes_value()) absl::StrAppend(&label, " ", option.value);
  if (option.repeatable) absl::StrAppend(&label, " ...");
  return label;
}

std::string Explanation(const Option& option) {
  std::string text = option.help;
  if (!option.choices.empty()) absl::StrAppend(&text, ": ", Listed(option.choices, "or"));
  if (!option.fallback.empty()) absl::StrAppend(&text, " [", option.fallback, "]");
  return text;
}

void AppendRow(const std::string& label, const std::string& explanation, size_t columns,
               std::string& out) {
  const bool fits = Utf8Length(label) + 4 <= kIndent;
  absl::StrAppend(&out, fits ? PadRight("  " + label, kIndent) : "  " + label + "\n",
                  fits ? "" : std::string(kIndent, ' '), Filled(explanation, kIndent, columns),
                  "\n");
}

std::string Usage(const Command& command, absl::string_view path) {
  std::string usage(path);
  if (!command.options.empty()) absl::StrAppend(&usage, " [OPTIONS]");
  for (const Option& argument : command.arguments) {
    const std::string name = absl::StrCat(argument.names[0], argument.repeatable ? "..." : "");
    absl::StrAppend(&usage, " ", argument.required ? name : absl::StrCat("[", name, "]"));
  }
  if (!command.commands.empty()) absl::StrAppend(&usage, " COMMAND");
  return usage;
}

}  // namespace

std::string HelpText(const Command& command, absl::string_view path, size_t columns) {
  columns = std::min(columns, kMostColumns);
  std::string summary = command.help;
  if (!summary.empty()) summary[0] = absl::ascii_toupper(static_cast<unsigned char>(summary[0]));
  if (!absl::EndsWith(summary, ".")) summary += ".";
  std::string out = absl::StrCat(Filled(summary, 0, columns),
                                 "\n\nUsage: ", Filled(Usage(command, path), 7, columns), "\n");
  if (!command.arguments.empty()) absl::StrAppend(&out, "\nArguments:\n");
  for (const Option& argument : command.arguments) {
    AppendRow(Label(argument, /*is_argument=*/true), Explanation(argument), columns, out);
  }
  std::string group;
  for (const Option& option : command.options) {
    if (option.group != group) absl::StrAppend(&out, "\n", option.group, ":\n");
    group = option.group;
    AppendRow(Label(option, /*is_argument=*/false), Explanation(option), columns, out);
  }
  if (!command.commands.empty()) absl::StrAppend(&out, "\nCommands:\n");
  for (const Command& below : command.commands) AppendRow(below.name, below.help, columns, out);
  if (!command.footer.empty()) {
    absl::StrAppend(&out, "\n", absl::StripAsciiWhitespace(command.footer), "\n");
  }
  const size_t program_size = path.find(' ');
  if (program_size != absl::string_view::npos) {
    absl::StrAppend(&out, "\n`", path.substr(0, program_size),
                    " --help` lists the options of every command, such as --address.\n");
  }
  return out;
}

}  // namespace acceld::cli
