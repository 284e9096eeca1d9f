#include "tests/integration/transcripts/transcript.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace acceld::testing {

Transcript ParseTranscript(absl::string_view text) {
  Transcript transcript;
  std::vector<std::string> remarks;
  bool in_command = false;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::ConsumePrefix(&line, "$ ")) {
      transcript.push_back({.remarks = std::move(remarks), .command = std::string(line)});
      remarks.clear();
      in_command = true;
    } else if (in_command && absl::ConsumePrefix(&line, "> ")) {
      absl::StrAppend(&transcript.back().command, "\n", line);
    } else if (absl::StartsWith(line, "#")) {
      remarks.emplace_back(line);
      in_command = false;
    } else if (!transcript.empty()) {
      transcript.back().output.emplace_back(line);
      in_command = false;
    }
  }
  for (Exchange& exchange : transcript) {
    while (!exchange.output.empty() && exchange.output.back().empty()) exchange.output.pop_back();
  }
  return transcript;
}

std::string FormatTranscript(const Transcript& transcript) {
  std::string text;
  for (const Exchange& exchange : transcript) {
    if (!text.empty()) absl::StrAppend(&text, "\n");
    for (const std::string& remark : exchange.remarks) absl::StrAppend(&text, remark, "\n");
    absl::StrAppend(&text, "$ ", absl::StrReplaceAll(exchange.command, {{"\n", "\n> "}}), "\n");
    for (const std::string& line : exchange.output) absl::StrAppend(&text, line, "\n");
  }
  return text;
}

}  // namespace acceld::testing
