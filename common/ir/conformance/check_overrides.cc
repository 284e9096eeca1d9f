#include "common/ir/conformance/check_overrides.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace acceld::ir {
namespace {

absl::Status ParseRule(absl::string_view text, CheckOverride& entry) {
  if (text == "skip") {
    entry.skip = true;
    return absl::OkStatus();
  }
  if (text == "nan_equal") {
    entry.nan_equal = true;
    return absl::OkStatus();
  }
  CheckRule rule;
  absl::string_view bound = text;
  if (absl::ConsumePrefix(&bound, "ulp=")) {
    rule.tolerance = Tolerance::kUlp;
  } else if (absl::ConsumePrefix(&bound, "abs=")) {
    rule.tolerance = Tolerance::kAbsolute;
  } else if (absl::ConsumePrefix(&bound, "rel=")) {
    rule.tolerance =
        absl::ConsumeSuffix(&bound, "max") ? Tolerance::kRelativeToMax : Tolerance::kRelative;
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ulp=, abs=, rel=, nan_equal or skip, found '", text, "'"));
  }
  if (!absl::SimpleAtod(bound, &rule.bound) || !(rule.bound >= 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a number that is not negative in '", text, "'"));
  }
  if (entry.tolerance) return absl::InvalidArgumentError("more than one tolerance");
  entry.tolerance = rule;
  return absl::OkStatus();
}

absl::StatusOr<std::pair<std::string, CheckOverride>> ParseLine(absl::string_view line) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::MaxSplits(absl::ByAnyChar(" \t"), 2));
  if (words.size() < 3 || absl::StripAsciiWhitespace(words[2]).empty()) {
    return absl::InvalidArgumentError("expected a file name, a rule and a reason");
  }
  CheckOverride entry;
  for (absl::string_view rule : absl::StrSplit(words[1], ',')) {
    ACCELD_RETURN_IF_ERROR(ParseRule(rule, entry));
  }
  entry.reason = std::string(absl::StripAsciiWhitespace(words[2]));
  return std::make_pair(std::string(words[0]), std::move(entry));
}

}  // namespace

CheckRule CheckOverride::Apply(const CheckRule& rule) const {
  CheckRule applied = tolerance.value_or(rule);
  applied.nan_equal = applied.nan_equal || nan_equal;
  return applied;
}

absl::StatusOr<CheckOverrides> CheckOverrides::Parse(absl::string_view text,
                                                     absl::string_view file_name) {
  CheckOverrides overrides;
  int number = 0;
  for (absl::string_view raw : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || absl::StartsWith(line, "#")) continue;
    auto entry = ParseLine(line);
    if (entry.ok() && overrides.entries_.contains(entry->first)) {
      entry = absl::InvalidArgumentError(absl::StrCat("a second entry for ", entry->first));
    }
    if (!entry.ok()) return Annotate(entry.status(), absl::StrCat(file_name, ":", number));
    overrides.entries_.insert(*std::move(entry));
  }
  return overrides;
}

const CheckOverride* CheckOverrides::Find(absl::string_view file_name) const {
  const auto found = entries_.find(file_name);
  return found == entries_.end() ? nullptr : &found->second;
}

}  // namespace acceld::ir
