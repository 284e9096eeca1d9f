#include "server/config/size.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace acceld::config {

absl::StatusOr<int64_t> ParseSizeBytes(absl::string_view text) {
  const std::string lower = absl::AsciiStrToLower(text);
  absl::string_view digits = lower;
  int shift = 0;
  const std::pair<absl::string_view, int> units[] = {
      {"kib", 10}, {"mib", 20}, {"gib", 30}, {"tib", 40}, {"b", 0}};
  for (const auto& [unit, bits] : units) {
    if (absl::ConsumeSuffix(&digits, unit)) {
      shift = bits;
      break;
    }
  }
  // SimpleAtoi alone would accept signs and white space too.
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), &absl::ascii_isdigit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a size; write it like 4096, 512KiB, 64MiB or 2GiB"));
  }
  int64_t value = 0;
  if (!absl::SimpleAtoi(digits, &value) || value > (std::numeric_limits<int64_t>::max() >> shift)) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "' is more than 2^63 bytes"));
  }
  return value << shift;
}

std::string SizeText(int64_t bytes) {
  const std::pair<int, const char*> units[] = {{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const auto& [shift, unit] : units) {
    if (bytes != 0 && bytes % (int64_t{1} << shift) == 0) return absl::StrCat(bytes >> shift, unit);
  }
  return absl::StrCat(bytes);
}

}  // namespace acceld::config
