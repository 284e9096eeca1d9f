#include "common/log/log_line.h"

#include <cmath>
#include <limits>

#include "common/log/log.h"
#include "common/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/unit/status_matchers.h"

namespace acceld {
namespace {

using Json = nlohmann::json;

const std::chrono::system_clock::time_point kTime =
    std::chrono::system_clock::time_point(std::chrono::milliseconds(1795325324123));

TEST(LogLineTest, TextHasFieldsBehindTheMessage) {
  EXPECT_EQ(TextOfEvent("session opened", {{"session", 3}, {"client", "a/b[7]"}, {"age_s", 1.5}}),
            "session opened session=3 client=a/b[7] age_s=1.5");
  EXPECT_EQ(TextOfEvent("stopped", {}), "stopped");
}

TEST(LogLineTest, TextQuotesWhatIsNoWord) {
  EXPECT_EQ(TextOfEvent("m", {{"a", ""}, {"b", "x y"}, {"c", "k=v"}, {"d", "\"\n"}}),
            "m a=\"\" b=\"x y\" c=\"k=v\" d=\"\\\"\\n\"");
}

TEST(LogLineTest, NoValueBreaksALineOfText) {
  std::string all;
  for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
  const std::string line = TextOfEvent("m", {{"v", all}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(line.find('\r'), std::string::npos);
  EXPECT_EQ(line.find('\0'), std::string::npos);
}

TEST(LogLineTest, JsonHasTheSameFields) {
  const Json line = Json::parse(JsonLine(kTime, LogLevel::kWarning, 7, "session opened",
                                         {{"session", 3}, {"client", "a b"}, {"age_s", 1.5}}));
  EXPECT_EQ(line["time"], "2026-11-22T05:28:44.123Z");
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["thread"], 7);
  EXPECT_EQ(line["message"], "session opened");
  EXPECT_EQ(line["session"], 3);
  EXPECT_EQ(line["client"], "a b");
  EXPECT_EQ(line["age_s"], 1.5);
}

TEST(LogLineTest, JsonTakesAnyBytes) {
  std::string all;
  for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
  const std::string line = JsonLine(kTime, LogLevel::kInfo, 1, all, {{"v", "\xc3\xa4"}});
  EXPECT_TRUE(IsUtf8(line));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(Json::parse(line)["v"], "\xc3\xa4");
}

TEST(LogLineTest, JsonHasNoNumberForWhatIsNone) {
  const Json line = Json::parse(JsonLine(kTime, LogLevel::kInfo, 1, "m",
                                         {{"a", std::numeric_limits<double>::infinity()},
                                          {"b", std::nan("")},
                                          {"c", uint64_t{18446744073709551615u}}}));
  EXPECT_EQ(line["a"], "inf");
  EXPECT_TRUE(line["b"].is_string());
  EXPECT_EQ(line["c"], 18446744073709551615u);
}

TEST(LogFormatTest, QuotesWhatIsNone) {
  EXPECT_EQ(*ParseLogFormat("text"), LogFormat::kText);
  EXPECT_EQ(*ParseLogFormat("json"), LogFormat::kJson);
  EXPECT_THAT(ParseLogFormat("xml"), IsRefused("log format 'xml' is not text or json"));
}

}  // namespace
}  // namespace acceld
