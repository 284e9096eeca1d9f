#include "client/tools/accelctl/views/format.h"

#include <iterator>

#include "absl/strings/escaping.h"
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

std::string DurationText(double seconds) {
  const auto total = static_cast<int64_t>(seconds);
  if (total < 60) return absl::StrFormat("%ds", total);
  if (total < 3600) return absl::StrFormat("%dm%02ds", total / 60, total % 60);
  if (total < 86400) return absl::StrFormat("%dh%02dm", total / 3600, total / 60 % 60);
  return absl::StrFormat("%dd%02dh", total / 86400, total / 3600 % 24);
}

std::string PrintableText(absl::string_view text, size_t max_bytes) {
  const std::string escaped = IsUtf8(text) ? absl::Utf8SafeCEscape(text) : absl::CEscape(text);
  size_t end = 0;
  // Does not cut inside a character.
  while (end < escaped.size()) {
    const size_t size = Utf8CharacterBytes(absl::string_view(escaped).substr(end));
    if (size == 0 || end + size > max_bytes) break;
    end += size;
  }
  return escaped.substr(0, end);
}

}  // namespace acceld::tools
