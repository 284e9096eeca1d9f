#include "server/observability/status_page/line_chart.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::observability {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr SeriesInfo kQueued{SeriesUnit::kCount, "queued", "Queued"};

std::string ChartOf(const Series& values, const SeriesInfo& info = kQueued) {
  Html html;
  WriteLineChart(info, "device 3", "device-3-queued", values, html);
  return std::move(html).Take();
}

TEST(LinePathTest, LargerValuesAreHigherAndLaterOnesFurtherRight) {
  EXPECT_EQ(LinePath({0, 2, 1, 4}, 4), "M0 100L1 50L2 75L3 0");
}

TEST(LinePathTest, ValuesAreRoundedToWholeCoordinates) {
  EXPECT_EQ(LinePath({0.004f, 0.006f, 0.996f}, 1), "M0 100L1 99L2 0");
}

TEST(LinePathTest, MissingValuesAreGaps) {
  EXPECT_EQ(LinePath({kNone, 1, 0, kNone, kNone, 0, 1, kNone}, 1), "M1 0L2 100M5 100L6 0");
}

TEST(LinePathTest, OneValueBetweenGapsIsADot) {
  EXPECT_EQ(LinePath({1}, 1), "M0 0h0");
  EXPECT_EQ(LinePath({kNone, 0.5f, kNone, 1}, 1), "M1 50h0M3 0h0");
}

TEST(LinePathTest, ALevelStretchHasTwoPoints) {
  EXPECT_EQ(LinePath({1, 1, 1, 1, 0, 0, 0}, 1), "M0 0L3 0L4 100L6 100");
}

TEST(LinePathTest, NothingIsNoLine) {
  EXPECT_EQ(LinePath({}, 1), "");
  EXPECT_EQ(LinePath({kNone, kNone}, 1), "");
}

TEST(LineChartTest, SaysTheLatestAndTheLargestValueAndTheTime) {
  const std::string chart = ChartOf({kNone, 5, 1234, 7, kNone});
  EXPECT_THAT(chart, HasSubstr("<span>Queued</span>"));
  EXPECT_THAT(chart, HasSubstr(">7</span></figcaption>"));
  EXPECT_THAT(chart, HasSubstr("<span>60 min ago</span><span>most 1,234</span>"
                               "<span>now</span>"));
}

TEST(LineChartTest, ScreenReadersGetATitleAndADescription) {
  const std::string chart = ChartOf({kNone, 5, 1234, 7, kNone});
  EXPECT_THAT(chart, HasSubstr("role=\"img\" aria-labelledby=\"device-3-queued\" "
                               "aria-describedby=\"device-3-queued-values\">"
                               "<title id=\"device-3-queued\">Queued, device 3, in the last "
                               "60 min</title><desc id=\"device-3-queued-values\">Latest 7, most "
                               "1,234, least 5. No values for 1 min.</desc>"));
  EXPECT_THAT(ChartOf({5}), HasSubstr(">Latest 5, most 5, least 5.</desc>"));
}

TEST(LineChartTest, TheLargestValueIsAtTheTop) {
  EXPECT_THAT(ChartOf({0, 1234}), HasSubstr("<path d=\"M0 100L1 0\"/>"));
}

TEST(LineChartTest, TheTopOfSharesIsTheWhole) {
  EXPECT_THAT(ChartOf({0, 0.25f}, {SeriesUnit::kShare, "busy_share", "Busy"}),
              HasSubstr("<path d=\"M0 100L1 75\"/>"));
}

TEST(LineChartTest, NoughtsAreALineAtTheBottom) {
  EXPECT_THAT(ChartOf({0, 0, 0}), HasSubstr("<path d=\"M0 100L2 100\"/>"));
}

TEST(LineChartTest, WithoutValuesItSaysSo) {
  for (const Series& values : {Series(), Series(360, kNone)}) {
    const std::string chart = ChartOf(values);
    EXPECT_THAT(chart, HasSubstr("no values yet"));
    EXPECT_THAT(chart, HasSubstr("<desc id=\"device-3-queued-values\">No values yet.</desc>"));
    EXPECT_THAT(chart, Not(HasSubstr("<path")));
  }
}

TEST(LineChartTest, TextIsEscaped) {
  Html html;
  WriteLineChart({SeriesUnit::kCount, "", "<b>"}, "</title><script>", "\"><i>", {1}, html);
  const std::string chart = std::move(html).Take();
  EXPECT_THAT(chart, HasSubstr("<span>&lt;b&gt;</span>"));
  EXPECT_THAT(chart, HasSubstr(">&lt;b&gt;, &lt;/title&gt;&lt;script&gt;, in the last"));
  EXPECT_THAT(chart, HasSubstr("<title id=\"&quot;&gt;&lt;i&gt;\">"));
  for (const char* const tag : {"<b>", "<script>", "<i>"}) {
    EXPECT_THAT(chart, Not(HasSubstr(tag)));
  }
}

TEST(ValueTextTest, HasTheUnitOfTheSeries) {
  EXPECT_EQ(ValueText(0, SeriesUnit::kShare), "0 %");
  EXPECT_EQ(ValueText(0.371f, SeriesUnit::kShare), "37 %");
  EXPECT_EQ(ValueText(1, SeriesUnit::kShare), "100 %");
  EXPECT_EQ(ValueText(12.34f, SeriesUnit::kPerSecond), "12.3 /s");
  EXPECT_EQ(ValueText(1234, SeriesUnit::kCount), "1,234");
  EXPECT_EQ(ValueText(static_cast<float>(uint64_t{20} << 30), SeriesUnit::kBytes), "20 GiB");
}

}  // namespace
}  // namespace acceld::observability
