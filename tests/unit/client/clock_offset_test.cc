#include "client/transport/clock_offset.h"

#include "gtest/gtest.h"

namespace acceld::client {
namespace {

TEST(ClockOffsetTest, IsZeroWhereBothClocksMayBeTheSame) {
  EXPECT_EQ(OffsetOf({{.before_ns = 1000, .daemon_ns = 1001, .after_ns = 2000}}), 0);
  EXPECT_EQ(OffsetOf({{.before_ns = 1000, .daemon_ns = 2000, .after_ns = 2000}}), 0);
}

TEST(ClockOffsetTest, IsFromTheMiddleOfTheQuickestReading) {
  EXPECT_EQ(OffsetOf({{.before_ns = 1000, .daemon_ns = 9000, .after_ns = 5000},
                      {.before_ns = 6000, .daemon_ns = 11'500, .after_ns = 7000},
                      {.before_ns = 8000, .daemon_ns = 13'900, .after_ns = 9500}}),
            5000);
  EXPECT_EQ(OffsetOf({{.before_ns = 6000, .daemon_ns = 500, .after_ns = 7000}}), -6000);
}

}  // namespace
}  // namespace acceld::client
