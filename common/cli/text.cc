#include "common/cli/text.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/utf8.h"

namespace acceld::cli {
namespace {

constexpr absl::string_view kEllipsis = "...";

std::string Spaces(absl::string_view text, size_t columns) {
  return std::string(columns - std::min(columns, Utf8Length(text)), ' ');
}

}  // namespace

std::string Filled(absl::Span<const std::string> pieces, size_t indent, size_t columns) {
  std::string out;
  size_t used = indent;
  for (const std::string& piece : pieces) {
    const size_t length = Utf8Length(piece);
    if (used > indent && used + 1 + length > columns) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      used = indent;
    }
    absl::StrAppend(&out, used > indent ? " " : "", piece);
    used += length + (used > indent ? 1 : 0);
  }
  return out;
}

std::string Filled(absl::string_view text, size_t indent, size_t columns) {
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  return Filled(words, indent, columns);
}

std::string Listed(absl::Span<const std::string> items, absl::string_view conjunction) {
  if (items.empty()) return "";
  if (items.size() == 1) return items[0];
  return absl::StrCat(absl::StrJoin(items.first(items.size() - 1), ", "), " ", conjunction, " ",
                      items.back());
}

std::string Cut(absl::string_view text, size_t columns) {
  if (Utf8Length(text) <= columns) return std::string(text);
  const absl::string_view ellipsis = kEllipsis.substr(0, columns);
  size_t end = 0;
  for (size_t kept = ellipsis.size(); kept < columns; ++kept) {
    end += std::max<size_t>(Utf8CharacterBytes(text.substr(end)), 1);
  }
  return absl::StrCat(text.substr(0, end), ellipsis);
}

std::string PadRight(absl::string_view text, size_t columns) {
  return absl::StrCat(text, Spaces(text, columns));
}

std::string PadLeft(absl::string_view text, size_t columns) {
  return absl::StrCat(Spaces(text, columns), text);
}

}  // namespace acceld::cli
