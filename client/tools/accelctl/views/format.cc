#include "client/tools/accelctl/views/format.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/utf8.h"

namespace acceld::tools {

std::string SizeText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? absl::StrFormat("%d B", bytes)
                   : absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string TimeText(double seconds) {
  if (seconds < 0.05e-6) return "0 s";
  // Below the limits, so that nothing is rounded up to "1000.0 us", for example.
  if (seconds < 0.99995e-3) return absl::StrFormat("%.1f us", seconds * 1e6);
  if (seconds < 0.99995) return absl::StrFormat("%.1f ms", seconds * 1e3);
  if (seconds < 59.95) return absl::StrFormat("%.1f s", seconds);
  const auto total = static_cast<int64_t>(std::llround(seconds));
  if (total < 3600) return absl::StrFormat("%dm%02ds", total / 60, total % 60);
  if (total < 86400) return absl::StrFormat("%dh%02dm", total / 3600, total / 60 % 60);
  return absl::StrFormat("%dd%02dh", total / 86400, total / 3600 % 24);
}

std::string CountText(uint64_t count, absl::string_view noun, absl::string_view plural) {
  if (count == 1) return absl::StrCat("1 ", noun);
  return plural.empty() ? absl::StrCat(count, " ", noun, "s") : absl::StrCat(count, " ", plural);
}

std::string PrintableText(absl::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t size = Utf8CharacterBytes(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // The control characters of ASCII, and those behind them, U+0080 to U+009F.
    const bool is_control =
        first < 0x20 || first == 0x7F ||
        (first == 0xC2 && size == 2 && static_cast<unsigned char>(text[1]) < 0xA0);
    if (size > 0 && !is_control) {
      out.append(text.data(), size);
    } else {
      for (const char c : text.substr(0, std::max<size_t>(size, 1))) {
        absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return out;
}

std::string CellText(absl::string_view text) { return text.empty() ? "-" : PrintableText(text); }

}  // namespace acceld::tools
