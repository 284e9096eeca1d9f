#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/cli/documents.h"
#include "common/cli/walk.h"

namespace acceld::cli {
namespace {

// Returns a line of text for roff: a dot or quote at its beginning is not a command, and a hyphen
// is printed as one types it.
std::string Text(absl::string_view text) {
  const std::string escaped = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  const bool is_command = absl::StartsWith(escaped, ".") || absl::StartsWith(escaped, "'");
  return absl::StrCat(is_command ? "\\&" : "", escaped);
}

// Returns lines that roff prints as they are, such as examples; it fills other text to paragraphs.
std::string Verbatim(absl::string_view text) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) lines.push_back(Text(line));
  return absl::StrCat(".nf\n", absl::StrJoin(lines, "\n"), "\n.fi\n");
}

// Makes a sentence of a help text, which begins in lower case and has no full stop.
std::string Sentence(const std::string& text) {
  std::string out = text;
  if (!out.empty()) out[0] = absl::ascii_toupper(static_cast<unsigned char>(out[0]));
  return absl::StrCat(Text(out), absl::EndsWith(out, ".") ? "" : ".");
}

void AppendOption(const Option& option, std::string& out) {
  absl::StrAppend(&out, ".TP\n.B ");
  absl::StrAppend(
      &out, absl::StrJoin(option.names, "\\fR, \\fB", [](std::string* to, const std::string& name) {
        to->append(Text(name));
      }));
  if (option.takes_value() && option.names[0][0] == '-') {
    absl::StrAppend(&out, " \\fI", Text(option.value), "\\fR");
  }
  absl::StrAppend(&out, "\n", Sentence(option.help));
  if (!option.choices.empty()) {
    absl::StrAppend(&out, " One of ", Text(absl::StrJoin(option.choices, ", ")), ".");
  }
  if (!option.fallback.empty()) absl::StrAppend(&out, " Default: ", Text(option.fallback), ".");
  absl::StrAppend(&out, "\n");
}

void AppendOptions(const Command& command, bool with_help, std::string& out) {
  std::string group = "Options";
  for (const Option& option : command.options) {
    if (!with_help && option.names.back() == "--help") continue;
    if (option.group != group) absl::StrAppend(&out, ".SS ", Text(option.group), "\n");
    group = option.group;
    AppendOption(option, out);
  }
}

std::string Synopsis(const Command& command) {
  std::string out = command.options.empty() ? "" : "[\\fIOPTIONS\\fR]";
  for (const Option& argument : command.arguments) {
    absl::StrAppend(&out, " \\fI", Text(absl::AsciiStrToUpper(argument.names[0])), "\\fR");
  }
  if (!command.commands.empty()) absl::StrAppend(&out, " \\fICOMMAND\\fR");
  return out;
}

}  // namespace

std::string ManualPage(const Command& program, const ManualInfo& about) {
  std::string out = absl::StrCat(
      ".\\\" Made by: ", program.name, " --generate man\n.TH ", absl::AsciiStrToUpper(program.name),
      " ", about.section, " \"\" \"", program.name, " ", about.version, "\"\n.SH NAME\n",
      program.name, " \\- ", Text(about.summary), "\n.SH SYNOPSIS\n.B ", program.name, "\n",
      Synopsis(program), "\n.SH DESCRIPTION\n", Sentence(program.help), "\n");
  if (!program.commands.empty()) absl::StrAppend(&out, ".SH COMMANDS\n");
  ForEachCommand(program, [&](const Command& command, const std::string& path) {
    if (path.empty() || !command.commands.empty()) return;
    absl::StrAppend(&out, ".SS ", Text(path), " ", Synopsis(command), "\n", Sentence(command.help),
                    "\n");
    for (const Option& argument : command.arguments) AppendOption(argument, out);
    AppendOptions(command, /*with_help=*/false, out);
    if (!command.footer.empty()) absl::StrAppend(&out, ".PP\n", Verbatim(command.footer));
  });
  absl::StrAppend(&out, ".SH OPTIONS\n");
  AppendOptions(program, /*with_help=*/true, out);
  if (!program.footer.empty()) {
    absl::StrAppend(&out, ".SH NOTES\n",
                    Verbatim(absl::StripLeadingAsciiWhitespace(program.footer)));
  }
  return out;
}

}  // namespace acceld::cli
