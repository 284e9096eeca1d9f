#include "common/ir/einsum.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {
namespace {

using Labels = EinsumLabels::Labels;

constexpr absl::string_view kEllipsis = "...";
// The label of the last dimension under an ellipsis; the dimension before has one less, and so on.
constexpr int kLastOfEllipsis = 256 + limits::kMaxRank;

bool Contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// `rest` is the number of dimensions that the ellipsis stands for, if there is one.
absl::StatusOr<Labels> ReadLabels(absl::string_view text, int64_t rest) {
  Labels labels;
  bool has_ellipsis = false;
  while (!text.empty()) {
    if (!has_ellipsis && absl::StartsWith(text, kEllipsis)) {
      has_ellipsis = true;
      for (int64_t i = rest; i > 0; --i) {
        labels.push_back(kLastOfEllipsis - static_cast<int>(i) + 1);
      }
      text.remove_prefix(kEllipsis.size());
    } else if (absl::ascii_isalpha(static_cast<unsigned char>(text[0]))) {
      labels.push_back(text[0]);
      text.remove_prefix(1);
    } else {
      return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no label"));
    }
  }
  return labels;
}

absl::StatusOr<EinsumLabels> Read(absl::string_view config, absl::Span<const int64_t> ranks) {
  const std::vector<absl::string_view> sides = absl::StrSplit(config, "->");
  if (sides.size() != 2) return absl::InvalidArgumentError("expected one '->'");
  const std::vector<absl::string_view> operands = absl::StrSplit(sides[0], ',');
  if (operands.size() != ranks.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it is for ", operands.size(), " operands, not ", ranks.size()));
  }
  EinsumLabels einsum;
  int64_t most_rest = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool has_ellipsis = absl::StrContains(operands[i], kEllipsis);
    const int64_t letters =
        static_cast<int64_t>(operands[i].size() - (has_ellipsis ? kEllipsis.size() : 0));
    const int64_t rest = ranks[i] - letters;
    if (rest < 0 || (rest > 0 && !has_ellipsis)) {
      return absl::InvalidArgumentError(absl::StrCat("'", operands[i], "' does not label the ",
                                                     ranks[i], " dimensions of operand ", i));
    }
    most_rest = std::max(most_rest, rest);
    ACCELD_ASSIGN_OR_RETURN(Labels labels, ReadLabels(operands[i], rest));
    einsum.operands.push_back(std::move(labels));
  }
  ACCELD_ASSIGN_OR_RETURN(einsum.result, ReadLabels(sides[1], most_rest));
  Labels of_operands;
  for (const Labels& labels : einsum.operands) {
    of_operands.insert(of_operands.end(), labels.begin(), labels.end());
  }
  for (size_t i = 0; i < einsum.result.size(); ++i) {
    const int label = einsum.result[i];
    if (!Contains(of_operands, label) ||
        Contains({einsum.result.begin(), einsum.result.begin() + i}, label)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "dimension ", i, " of the result must have a label of the operands of its own"));
    }
  }
  if (!absl::StrContains(sides[1], kEllipsis) && most_rest > 0) {
    return absl::InvalidArgumentError("the result must have the '...' of the operands");
  }
  return einsum;
}

}  // namespace

Labels EinsumLabels::Summed() const {
  Labels summed;
  for (const Labels& labels : operands) {
    for (int label : labels) {
      if (!Contains(result, label) && !Contains(summed, label)) summed.push_back(label);
    }
  }
  return summed;
}

absl::StatusOr<EinsumLabels> ReadEinsum(absl::string_view config, absl::Span<const int64_t> ranks) {
  absl::StatusOr<EinsumLabels> einsum = Read(config, ranks);
  if (einsum.ok()) return einsum;
  return Annotate(einsum.status(), absl::StrCat("einsum_config \"", config, "\""));
}

}  // namespace acceld::ir
