#include "gtest/gtest.h"
#include "server/observability/status_page/units.h"

namespace acceld::observability {
namespace {

TEST(StatusUnitsTest, Counts) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1000), "1,000");
  EXPECT_EQ(CountText(1234567), "1,234,567");
  EXPECT_EQ(CountText(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(StatusUnitsTest, LargeCountsAreShortened) {
  EXPECT_EQ(ShortCountText(999'999), "999,999");
  EXPECT_EQ(ShortCountText(1'234'567), "1.23 M");
  EXPECT_EQ(ShortCountText(45'600'000'000), "45.6 G");
  EXPECT_EQ(ShortCountText(999'600'000), "1.00 G");
  EXPECT_EQ(ShortCountText(UINT64_MAX), "18.4 E");
}

TEST(StatusUnitsTest, Rates) {
  EXPECT_EQ(RateText(0), "0 /s");
  EXPECT_EQ(RateText(0.1), "0.1 /s");
  EXPECT_EQ(RateText(12.34), "12.3 /s");
  EXPECT_EQ(RateText(999.4), "999 /s");
  EXPECT_EQ(RateText(999.6), "1,000 /s");
  EXPECT_EQ(RateText(1'234'567), "1.23 M/s");
}

TEST(StatusUnitsTest, Bytes) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1024), "1 KiB");
  EXPECT_EQ(BytesText(1536), "1.5 KiB");
  EXPECT_EQ(BytesText((uint64_t{1} << 30) - 1), "1.0 GiB");
  EXPECT_EQ(BytesText(uint64_t{640} << 20), "640 MiB");
  EXPECT_EQ(BytesText(UINT64_MAX), "16 EiB");
}

TEST(StatusUnitsTest, Durations) {
  EXPECT_EQ(DurationText(-1), "0 s");
  EXPECT_EQ(DurationText(59.9), "59 s");
  EXPECT_EQ(DurationText(125), "2 min 5 s");
  EXPECT_EQ(DurationText(3 * 3600), "3 h 0 min");
  EXPECT_EQ(DurationText(12 * 86400 + 4 * 3600 + 59), "12 d 4 h");
}

TEST(StatusUnitsTest, Latencies) {
  EXPECT_EQ(LatencyText(0), "0 ns");
  EXPECT_EQ(LatencyText(870e-9), "870 ns");
  EXPECT_EQ(LatencyText(12.34e-6), "12.3 us");
  EXPECT_EQ(LatencyText(4.56e-3), "4.56 ms");
  EXPECT_EQ(LatencyText(0.1249), "125 ms");
  EXPECT_EQ(LatencyText(1.2), "1.20 s");
}

TEST(StatusUnitsTest, PercentIsNoneOrAllOnlyWhenItIs) {
  EXPECT_EQ(PercentText(0, 0), "-");
  EXPECT_EQ(PercentText(0, 7), "0 %");
  EXPECT_EQ(PercentText(1, 100000), "1 %");
  EXPECT_EQ(PercentText(99999, 100000), "99 %");
  EXPECT_EQ(PercentText(7, 7), "100 %");
  EXPECT_EQ(Percent(9, 7), 100);
  EXPECT_EQ(Percent(1, 4), 25);
}

}  // namespace
}  // namespace acceld::observability
