#include "client/embedded/version_skew.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"

namespace acceld::client {
namespace {

using Version = std::array<uint32_t, 3>;

absl::optional<Version> Parse(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  Version version;
  if (parts.size() != version.size()) return absl::nullopt;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_number = std::all_of(parts[i].begin(), parts[i].end(), &absl::ascii_isdigit);
    if (!is_number || !absl::SimpleAtoi(parts[i], &version[i])) return absl::nullopt;
  }
  return version;
}

}  // namespace

VersionSkew CompareVersions(absl::string_view client, absl::string_view daemon) {
  if (client == daemon) return {};
  const absl::optional<Version> ours = Parse(client), theirs = Parse(daemon);
  if (!ours.has_value() || !theirs.has_value()) return {Skew::kOther, !theirs.has_value()};
  const bool go_together = (*ours)[0] == (*theirs)[0] && (*ours)[1] == (*theirs)[1];
  return {go_together ? Skew::kPatch : Skew::kOther, *theirs < *ours};
}

}  // namespace acceld::client
