#include "client/tools/accelctl/views/types_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/tools/accelctl/views/format.h"
#include "common/cli/text.h"
#include "common/utf8.h"

namespace acceld::tools {
namespace {

constexpr absl::string_view kArrow = " -> ";

std::vector<std::string> SplitTypes(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "(")) absl::ConsumeSuffix(&text, ")");
  return absl::StrSplit(PrintableText(text), ", ", absl::SkipEmpty());
}

// Returns `prefix`, and behind ": " as many of the first items as fit.
std::string FirstThatFit(const std::string& prefix, absl::Span<const std::string> items,
                         size_t columns) {
  const std::string whole = absl::StrCat(prefix, ": ", absl::StrJoin(items, ", "));
  if (Utf8Length(whole) <= columns) return whole;
  std::string longest = prefix, so_far = absl::StrCat(prefix, ": ");
  for (size_t count = 1; count < items.size(); ++count) {
    absl::StrAppend(&so_far, items[count - 1], ", ");
    std::string text = absl::StrCat(so_far, "+", items.size() - count, " more");
    if (Utf8Length(text) > columns) break;
    longest = std::move(text);
  }
  return longest;
}

}  // namespace

Signature ParseSignature(absl::string_view text) {
  const size_t arrow = text.find(kArrow);
  Signature signature{.arguments = SplitTypes(text.substr(0, arrow))};
  if (arrow != absl::string_view::npos) {
    signature.results = SplitTypes(text.substr(arrow + kArrow.size()));
  }
  return signature;
}

std::string TypesText(absl::Span<const std::string> types, absl::string_view noun, size_t columns) {
  if (types.empty()) return absl::StrCat("no ", noun, "s");
  return FirstThatFit(CountText(types.size(), noun), types, columns);
}

std::string SignatureText(absl::string_view text, size_t columns) {
  const Signature signature = ParseSignature(text);
  // Where results are said, their number is said in any case.
  const std::string results = text.find(kArrow) == absl::string_view::npos
                                  ? ""
                                  : absl::StrCat("; ", TypesText(signature.results, "result", 0));
  std::string line =
      TypesText(signature.arguments, "argument", columns - std::min(columns, results.size()));
  if (results.empty()) return line;
  line += "; ";
  return line +
         TypesText(signature.results, "result", columns - std::min(columns, Utf8Length(line)));
}

std::string DifferingTypesText(absl::Span<const std::string> types,
                               absl::Span<const std::string> others, size_t columns) {
  const bool fits = Utf8Length(TypesText(types, "argument", cli::kUnlimitedColumns)) <= columns;
  if (fits || types.size() != others.size()) return TypesText(types, "argument", columns);
  std::vector<std::string> different;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] != others[i]) different.push_back(absl::StrCat(i, ": ", types[i]));
  }
  return FirstThatFit(absl::StrCat(CountText(types.size(), "argument"), ", ", different.size(),
                                   different.size() == 1 ? " differs" : " differ"),
                      different, columns);
}

}  // namespace acceld::tools
