#include "server/observability/status_page/units.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace acceld::observability {
namespace {

constexpr uint64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;

// Formats with three digits.
std::string Rounded(double value, const char* unit) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return absl::StrFormat("%.*f %s", decimals, value, unit);
}

}  // namespace

std::string CountText(uint64_t count) {
  std::string digits = absl::StrCat(count);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string ShortCountText(uint64_t count) {
  if (count < 1'000'000) return CountText(count);
  constexpr std::array<const char*, 5> kUnits = {"M", "G", "T", "P", "E"};
  double value = static_cast<double>(count) / 1e6;
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return Rounded(value, kUnits[unit]);
}

std::string RateText(double per_second) {
  if (per_second < 999.5) return absl::StrFormat("%.3g /s", per_second);
  const auto whole = static_cast<uint64_t>(std::llround(per_second));
  return absl::StrCat(ShortCountText(whole), whole < 1'000'000 ? " /s" : "/s");
}

std::string BytesText(uint64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  const bool whole = value == std::floor(value) || value >= 99.95;
  return absl::StrFormat("%.*f %s", whole ? 0 : 1, value, kUnits[unit]);
}

std::string DurationText(double seconds) {
  const auto whole = static_cast<uint64_t>(std::max(0.0, seconds));
  if (whole < kMinute) return absl::StrCat(whole, " s");
  if (whole < kHour) return absl::StrCat(whole / kMinute, " min ", whole % kMinute, " s");
  if (whole < kDay) return absl::StrCat(whole / kHour, " h ", whole % kHour / kMinute, " min");
  return absl::StrCat(whole / kDay, " d ", whole % kDay / kHour, " h");
}

std::string LatencyText(double seconds) {
  if (seconds <= 0) return "0 ns";
  if (seconds < 0.9995e-6) return absl::StrFormat("%.0f ns", seconds * 1e9);
  if (seconds < 0.9995e-3) return Rounded(seconds * 1e6, "us");
  if (seconds < 0.9995) return Rounded(seconds * 1e3, "ms");
  return Rounded(seconds, "s");
}

int Percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return 0;
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return static_cast<int>(std::lround(std::min(100.0, percent)));
}

std::string PercentText(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  int percent = Percent(part, whole);
  if (part > 0) percent = std::max(percent, 1);
  if (part < whole) percent = std::min(percent, 99);
  return absl::StrCat(percent, " %");
}

std::string TimeText(std::chrono::system_clock::time_point time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

std::string ReadableTime(std::chrono::system_clock::time_point time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromChrono(time), absl::UTCTimeZone());
}

}  // namespace acceld::observability
