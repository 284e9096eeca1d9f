#include "common/log/log_history.h"

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/utf8.h"
#include "gtest/gtest.h"

namespace acceld {
namespace {

std::chrono::system_clock::time_point At(int64_t seconds) {
  return std::chrono::system_clock::time_point(std::chrono::seconds(seconds));
}

TEST(LogHistoryTest, GivesTheNewestFirst) {
  LogHistory history;
  history.Add(At(1), LogLevel::kWarning, "one");
  history.Add(At(2), LogLevel::kError, "two");
  const std::vector<LogEntry> entries = history.Read();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].text, "two");
  EXPECT_EQ(entries[0].level, LogLevel::kError);
  EXPECT_EQ(entries[0].time, At(2));
  EXPECT_EQ(entries[1].text, "one");
}

TEST(LogHistoryTest, KeepsTheLastFew) {
  LogHistory history;
  for (size_t i = 0; i < 3 * LogHistory::kMaxEntries; ++i) {
    history.Add(At(0), LogLevel::kWarning, absl::StrCat(i));
  }
  const std::vector<LogEntry> entries = history.Read();
  ASSERT_EQ(entries.size(), LogHistory::kMaxEntries);
  EXPECT_EQ(entries.front().text, absl::StrCat(3 * LogHistory::kMaxEntries - 1));
  EXPECT_EQ(entries.back().text, absl::StrCat(2 * LogHistory::kMaxEntries));
}

TEST(LogHistoryTest, TheSameAgainIsCounted) {
  LogHistory history;
  for (int i = 0; i < 1000; ++i) history.Add(At(i), LogLevel::kWarning, "again");
  history.Add(At(2000), LogLevel::kError, "again");
  const std::vector<LogEntry> entries = history.Read();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].count, 1000u);
  EXPECT_EQ(entries[1].time, At(999));
  EXPECT_EQ(entries[0].count, 1u);
}

TEST(LogHistoryTest, LongTextIsCutBetweenCharacters) {
  for (size_t shift = 0; shift < 4; ++shift) {
    LogHistory history;
    std::string text(shift, 'x');
    for (int i = 0; i < 1000; ++i) text += "\xf0\x9f\x90\xa2";
    history.Add(At(0), LogLevel::kWarning, text);
    const std::string kept = history.Read()[0].text;
    EXPECT_LE(kept.size(), LogHistory::kMaxTextBytes + 3);
    EXPECT_GT(kept.size(), LogHistory::kMaxTextBytes - 4);
    EXPECT_TRUE(IsUtf8(kept)) << shift;
  }
}

TEST(RecentTroubleTest, HasWarningsAndErrorsButNoFieldsOfEvents) {
  LogInfo("all is well");
  LogWarning("something ", 7, " is odd");
  LogEvent(LogLevel::kError, "refused", {{"peer", "10.1.2.3"}, {"identity", "ann"}});
  LogEvent(LogLevel::kInfo, "session opened", {{"client", "c"}});
  const std::vector<LogEntry> entries = RecentWarnings();
  ASSERT_GE(entries.size(), 2u);
  EXPECT_EQ(entries[0].text, "refused");
  EXPECT_EQ(entries[0].level, LogLevel::kError);
  EXPECT_EQ(entries[1].text, "something 7 is odd");
}

}  // namespace
}  // namespace acceld
