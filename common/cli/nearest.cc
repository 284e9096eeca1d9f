#include "common/cli/nearest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/match.h"

namespace acceld::cli {
namespace {

// Returns the optimal string alignment distance: the number of letters to insert, remove or
// replace and of neighbours to exchange, where no part of the text is changed twice.
size_t TypingErrors(absl::string_view from, absl::string_view to) {
  // rows[i][j]: the distance of the first i letters of `from` to the first j of `to`.
  std::vector<std::vector<size_t>> rows(from.size() + 1, std::vector<size_t>(to.size() + 1));
  for (size_t i = 0; i <= from.size(); ++i) {
    for (size_t j = 0; j <= to.size(); ++j) {
      size_t& cell = rows[i][j];
      if (i == 0 || j == 0) {
        cell = i + j;
        continue;
      }
      cell = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1,
                       rows[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        cell = std::min(cell, rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[from.size()][to.size()];
}

}  // namespace

absl::optional<std::string> Nearest(absl::string_view word,
                                    absl::Span<const std::string> candidates) {
  // The distance takes a time that grows with the product of the lengths, and no candidate is long.
  constexpr size_t kMaxLetters = 100;
  if (word.empty() || word.size() > kMaxLetters) return absl::nullopt;
  const auto begins = [word](const std::string& one) { return absl::StartsWith(one, word); };
  if (std::count_if(candidates.begin(), candidates.end(), begins) == 1) {
    return *std::find_if(candidates.begin(), candidates.end(), begins);
  }
  // A word whose every letter is wrong is another word.
  size_t fewest = std::min(std::max<size_t>(1, word.size() / 3), word.size() - 1);
  absl::optional<std::string> nearest;
  for (const std::string& candidate : candidates) {
    const size_t errors = TypingErrors(word, candidate);
    if (errors > fewest || (errors == fewest && nearest.has_value())) continue;
    fewest = errors;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace acceld::cli
