#include "tests/programs/text_case.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace acceld {
namespace {

constexpr absl::string_view kRun = "// run:";
constexpr absl::string_view kTarget = "// target:";
constexpr absl::string_view kExpect = "// expect";

}  // namespace

absl::StatusOr<TextCase> ReadTextCase(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  TextCase out;
  out.path = path;
  bool in_expected = false;
  for (absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    absl::StrAppend(in_expected ? &out.expected : &out.head, line, "\n");
    if (in_expected) continue;
    in_expected = line == kExpect;
    if (absl::ConsumePrefix(&line, kTarget)) {
      out.target = std::string(absl::StripAsciiWhitespace(line));
    }
    if (out.stages.empty() && absl::ConsumePrefix(&line, kRun)) {
      for (absl::string_view stage : absl::StrSplit(line, ',')) {
        out.stages.emplace_back(absl::StripAsciiWhitespace(stage));
      }
    }
  }
  if (!in_expected) absl::StrAppend(&out.head, kExpect, "\n");
  if (out.stages.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a line '", kRun, " STAGE, ...'"));
  }
  return out;
}

absl::Status RewriteTextCase(const TextCase& text_case, absl::string_view actual) {
  std::ofstream file(text_case.path, std::ios::binary | std::ios::trunc);
  file << text_case.head << actual;
  file.close();
  if (!file) return absl::InternalError(absl::StrCat("cannot write ", text_case.path));
  return absl::OkStatus();
}

std::string DiffLines(absl::string_view expected, absl::string_view actual) {
  if (expected == actual) return "";
  const std::vector<absl::string_view> a = absl::StrSplit(expected, '\n');
  const std::vector<absl::string_view> b = absl::StrSplit(actual, '\n');
  // common[i][j]: the longest common subsequence of a from i on and b from j on.
  std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::string out;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      absl::StrAppend(&out, "  ", a[i++], "\n");
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      absl::StrAppend(&out, "- ", a[i++], "\n");
    } else {
      absl::StrAppend(&out, "+ ", b[j++], "\n");
    }
  }
  return out;
}

}  // namespace acceld
