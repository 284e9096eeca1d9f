#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "server/observability/history/series.h"
#include "server/observability/status_page/html.h"

// Series of the last hour as small lines of SVG, with their text.
namespace acceld::observability {

// The height of a line's box in the units of its coordinates; its width is the number of values
// less one.
constexpr int kLineHeight = 100;

// Returns the path data of a line through the values: each is one unit to the right of the one
// before, 0 is at the bottom of the box and `top`, which is above 0, at its upper edge. Where there
// is no value the line is interrupted; a single value between two gaps is a dot.
std::string LinePath(const Series& values, float top);

// Returns a value with its unit: "37 %", "12.3 /s", "1,234", "20 GiB".
std::string ValueText(float value, SeriesUnit unit);

// Writes a series as a figure: its title, the latest value, the line, its time axis and the largest
// value. `of_what` says whose series it is, for screen readers: "device 0". `id` is unique in the
// page.
void WriteLineChart(const SeriesInfo& info, absl::string_view of_what, absl::string_view id,
                    const Series& values, Html& html);

}  // namespace acceld::observability
