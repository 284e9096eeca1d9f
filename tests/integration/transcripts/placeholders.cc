#include "tests/integration/transcripts/placeholders.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace acceld::testing {
namespace {

// Placeholders for texts that a form tells. What a pattern finds is its last group.
const std::vector<std::pair<std::string, std::regex>>& Forms() {
  static const auto* const forms = new std::vector<std::pair<std::string, std::regex>>{
      {"<token>", std::regex("\\bacceld_[A-Za-z0-9_-]{43}")},
      {"<digest>", std::regex("\\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})\\b")},
      // The client name of a process, which may be cut.
      {"[<pid>]", std::regex("\\baccelctl(\\[\\d+\\]|\\[?\\d*\\.\\.\\.)")},
      {"<uid>", std::regex("\\buid:(\\d+)")},
      {"<time>", std::regex("\\b(?:\\d+\\.\\d (?:us|ms|s)|0 s|\\d+m\\d\\ds|\\d+h\\d\\dm|"
                            "\\d+d\\d\\dh)(?=\\W|$)")},
      {"<size>", std::regex("\\b(?:\\d+ B|\\d+\\.\\d [KMGT]iB)(?=\\W|$)")},
      // In JSON.
      {"<time>", std::regex("\"\\w+_(?:s|ms|us)\": (-?\\d[\\d.e+-]*)")},
      {"<time>", std::regex("^ +(\\d+\\.\\d+)(?=,?$)")},
      {"<size>", std::regex("\"\\w+_bytes\": (\\d+)")},
      {"<count>", std::regex("^(\\d+)(?= spans)")},
  };
  return *forms;
}

constexpr absl::string_view kEllipsis = "...";
constexpr size_t kLeastKept =
    6;  // of a value that is cut, so that other words are not taken for it

std::string Collapsed(absl::string_view line) {
  static const std::regex gap("  +");
  return std::regex_replace(std::string(line), gap, "  ");
}

}  // namespace

void Placeholders::AddValue(const std::string& name, const std::string& value) {
  if (value.empty()) return;
  static const std::regex special(R"([.^$|()\[\]{}*+?\\])");
  // The whole value, or its begin as cli::Cut leaves it.
  std::string forms = std::regex_replace(value, special, R"(\$&)");
  for (size_t kept = value.size() - 1; kept >= kLeastKept; --kept) {
    absl::StrAppend(&forms, "|", std::regex_replace(value.substr(0, kept), special, R"(\$&)"),
                    R"(\.\.\.)");
  }
  values_.emplace_back(name, std::regex("(?:^|[^\\w.-])(" + forms + ")(?![\\w-])"));
}

std::string Placeholders::Replace(const std::string& line) {
  std::string out = line;
  for (const auto& [name, pattern] : values_) out = ReplaceMatches(name, pattern, out);
  for (const auto& [name, pattern] : Forms()) out = ReplaceMatches(name, pattern, out);
  return out;
}

std::string Placeholders::ReplaceMatches(const std::string& name, const std::regex& pattern,
                                         const std::string& line) {
  std::string out, rest = line;
  std::smatch match;
  while (std::regex_search(rest, match, pattern)) {
    const size_t group = match.size() - 1;
    const auto begin = static_cast<size_t>(match.position(group));
    const auto size = static_cast<size_t>(match.length(group));
    if (!absl::EndsWith(match.str(group), kEllipsis)) last_[name] = match.str(group);
    std::string before = rest.substr(0, begin), after = rest.substr(begin + size);
    std::string text = name;
    // Numbers stand at the right edge of their column, and other values at the left edge. What the
    // placeholder is longer or shorter is taken from the gap at the other edge, or given to it.
    const bool is_number = name == "<time>" || name == "<size>" || name == "<count>";
    const size_t gap = is_number ? before.size() - (before.find_last_not_of(' ') + 1)
                                 : std::min(after.find_first_not_of(' '), after.size());
    if (gap >= 2 && name.size() > size) {
      const size_t taken = std::min(name.size() - size, gap - 2);
      if (is_number) {
        before.resize(before.size() - taken);
      } else {
        after.erase(0, taken);
      }
    } else if (gap >= 2) {
      (is_number ? before : text).append(size - name.size(), ' ');
    }
    absl::StrAppend(&out, before, text);
    rest = after;
  }
  return out + rest;
}

std::string Placeholders::Fill(const std::string& command) const {
  std::string out = command;
  for (const auto& [name, value] : last_) out = absl::StrReplaceAll(out, {{name, value}});
  return out;
}

bool Placeholders::AreAlike(absl::string_view a, absl::string_view b) {
  return Collapsed(a) == Collapsed(b);
}

}  // namespace acceld::testing
