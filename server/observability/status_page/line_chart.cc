#include "server/observability/status_page/line_chart.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "server/observability/history/history_ring.h"
#include "server/observability/status_page/units.h"

namespace acceld::observability {
namespace {

// What the text beside a line says of it.
struct Summary {
  float latest = 0, least = 0, most = 0;
  size_t missing = 0;  // the number of empty slots
};

// Returns nullopt when there is no value.
absl::optional<Summary> SummaryOf(const Series& values) {
  absl::optional<Summary> summary;
  size_t missing = 0;
  for (const float value : values) {
    if (std::isnan(value)) {
      ++missing;
      continue;
    }
    if (!summary.has_value()) summary = Summary{.least = value, .most = value};
    summary->latest = value;
    summary->least = std::min(summary->least, value);
    summary->most = std::max(summary->most, value);
  }
  if (summary.has_value()) summary->missing = missing;
  return summary;
}

std::string MinutesText(std::chrono::seconds time) {
  return absl::StrCat(std::chrono::ceil<std::chrono::minutes>(time).count(), " min");
}

std::string SpokenText(const absl::optional<Summary>& summary, SeriesUnit unit) {
  if (!summary.has_value()) return "No values yet.";
  std::string text = absl::StrCat("Latest ", ValueText(summary->latest, unit), ", most ",
                                  ValueText(summary->most, unit), ", least ",
                                  ValueText(summary->least, unit), ".");
  if (summary->missing > 0) {
    const HistoryRing::Slots missing(static_cast<int64_t>(summary->missing));
    absl::StrAppend(&text, " No values for ", MinutesText(missing), ".");
  }
  return text;
}

// Returns what the upper edge of the box stands for: of shares always the whole.
float TopOf(SeriesUnit unit, float most) {
  if (unit == SeriesUnit::kShare) return 1;
  return most > 0 ? most : 1;
}

}  // namespace

std::string LinePath(const Series& values, float top) {
  const auto y_of = [&](size_t i) {
    return kLineHeight - static_cast<int>(std::lround(kLineHeight * (values[i] / top)));
  };
  const auto is_there = [&](size_t i) { return i < values.size() && !std::isnan(values[i]); };
  std::string path;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!is_there(i)) continue;
    const bool begins = i == 0 || !is_there(i - 1);
    const bool ends = !is_there(i + 1);
    const int y = y_of(i);
    if (begins) {
      absl::StrAppend(&path, "M", i, " ", y);
      if (ends) absl::StrAppend(&path, "h0");
    } else if (ends || y != y_of(i - 1) || y != y_of(i + 1)) {
      // The points within a level stretch are left out.
      absl::StrAppend(&path, "L", i, " ", y);
    }
  }
  return path;
}

std::string ValueText(float value, SeriesUnit unit) {
  switch (unit) {
    case SeriesUnit::kShare: {
      constexpr uint64_t kWhole = 1'000'000;
      return PercentText(static_cast<uint64_t>(std::llround(value * kWhole)), kWhole);
    }
    case SeriesUnit::kPerSecond:
      return RateText(value);
    case SeriesUnit::kCount:
      return ShortCountText(static_cast<uint64_t>(std::llround(value)));
    case SeriesUnit::kBytes:
      return BytesText(static_cast<uint64_t>(std::llround(value)));
  }
  return "";
}

void WriteLineChart(const SeriesInfo& info, absl::string_view of_what, absl::string_view id,
                    const Series& values, Html& html) {
  const absl::optional<Summary> summary = SummaryOf(values);
  const std::string span = MinutesText(HistoryRing::kSize);
  html << "<figure>\n<figcaption class=\"row small\"><span>" << info.title
       << "</span><span class=\"muted\">";
  html << (summary.has_value() ? ValueText(summary->latest, info.unit) : "no values yet")
       << "</span></figcaption>\n<svg class=\"line\" width=\"100%\" height=\"36\" viewBox=\"0 0 "
       << absl::StrCat(HistoryRing::kSize.count() - 1, " ", kLineHeight)
       << "\" preserveAspectRatio=\"none\" role=\"img\" aria-labelledby=\"" << id
       << "\" aria-describedby=\"" << id << "-values\"><title id=\"" << id << "\">" << info.title
       << ", " << of_what << ", in the last " << span << "</title><desc id=\"" << id << "-values\">"
       << SpokenText(summary, info.unit) << "</desc>";
  if (summary.has_value()) {
    html << "<path d=\"" << LinePath(values, TopOf(info.unit, summary->most)) << "\"/>";
  }
  html << "</svg>\n<p class=\"row muted axis\" aria-hidden=\"true\"><span>" << span
       << " ago</span>";
  if (summary.has_value()) {
    html << "<span>most " << ValueText(summary->most, info.unit) << "</span>";
  }
  html << "<span>now</span></p>\n</figure>\n";
}

}  // namespace acceld::observability
