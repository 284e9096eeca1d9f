// What accelctl shows and writes, from values as a daemon would give them.

#include <set>

#include "absl/strings/str_cat.h"
#include "client/tools/accelctl/views/chrome_trace.h"
#include "client/tools/accelctl/views/format.h"
#include "client/tools/accelctl/views/top_frame.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

using client::TraceSpan;
using Json = nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(FormatTest, SizesAndDurationsAreShort) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(1023), "1023 B");
  EXPECT_EQ(SizeText(1536), "1.5 KiB");
  EXPECT_EQ(SizeText(uint64_t{3} << 40), "3.0 TiB");
  EXPECT_EQ(DurationText(59.9), "59s");
  EXPECT_EQ(DurationText(723), "12m03s");
  EXPECT_EQ(DurationText(11100), "3h05m");
  EXPECT_EQ(DurationText(187200), "2d04h");
}

TEST(FormatTest, NamesDoNotSteerTheTerminal) {
  EXPECT_EQ(PrintableText("\x1b[2J"), "\\033[2J");
  EXPECT_EQ(PrintableText("\xff\n"), "\\377\\n");
  EXPECT_EQ(PrintableText("\xc3\xa4\xc3\xb6", 3), "\xc3\xa4");
}

TraceSpan Execution(uint64_t session, int64_t submitted_ns, int64_t begin_ns, int64_t end_ns) {
  return {.kind = SpanKind::kExecution,
          .track = 1,
          .session = session,
          .submitted_ns = submitted_ns,
          .begin_ns = begin_ns,
          .end_ns = end_ns,
          .name = "main"};
}

TEST(ChromeTraceTest, ExecutionsStandOnTheirDeviceAndInTheirSession) {
  const Json events = Json::parse(ChromeTrace({Execution(3, 5000, 7000, 9500)}))["traceEvents"];
  const auto find = [&](const std::string& phase, const std::string& name) -> Json {
    for (const Json& event : events) {
      if (event["ph"] == phase && event["name"] == name) return event;
    }
    return {};
  };
  const Json run = find("X", "main");
  EXPECT_EQ(run["ts"], 2.0);
  EXPECT_EQ(run["dur"], 2.5);
  EXPECT_EQ(run["args"]["session"], 3);
  const Json begin = find("b", "main"), end = find("e", "main");
  EXPECT_EQ(begin["ts"], 0.0);
  EXPECT_EQ(end["ts"], 4.5);
  EXPECT_EQ(begin["id"], end["id"]);
  EXPECT_EQ(find("b", "on device 1")["ts"], 2.0);
  EXPECT_NE(begin["pid"], run["pid"]);
}

TEST(ChromeTraceTest, ExecutionsThatPassOthersHaveATrackOfTheirOwn) {
  TraceSpan express = Execution(3, 1, 2, 3);
  express.express = true;
  const Json events = Json::parse(ChromeTrace({Execution(3, 1, 2, 3), express}))["traceEvents"];
  std::set<int> tracks;
  for (const Json& event : events) {
    if (event["ph"] == "X") tracks.insert(event["tid"].get<int>());
  }
  EXPECT_EQ(tracks.size(), 2u);
}

TEST(ChromeTraceTest, TracksAreNamedOnce) {
  const Json events =
      Json::parse(ChromeTrace({Execution(3, 1, 2, 3), Execution(3, 2, 3, 4)}))["traceEvents"];
  int names = 0;
  for (const Json& event : events) names += event["ph"] == "M";
  EXPECT_EQ(names, 3);  // device, its stream, session
}

TEST(ChromeTraceTest, NothingIsATraceToo) {
  EXPECT_TRUE(Json::parse(ChromeTrace({}))["traceEvents"].empty());
}

Sample MakeSample(int64_t second, uint64_t executions) {
  Sample sample;
  sample.time = std::chrono::steady_clock::time_point(std::chrono::seconds(second));
  sample.stats.version = "1.2.3";
  sample.stats.executions = executions;
  sample.devices = {{.id = 0, .kind = "cpu", .name = "a cpu", .executions = executions}};
  for (uint64_t id = 1; id <= 9; ++id) {
    client::SessionInfo session;
    session.id = id;
    session.client_name = absl::StrCat("client", id);
    session.queued = id;
    session.executions = executions;
    sample.sessions.push_back(session);
  }
  return sample;
}

TEST(TopFrameTest, ShowsRatesSinceTheLastPicture) {
  const Sample before = MakeSample(10, 100), now = MakeSample(12, 130);
  EXPECT_THAT(TopFrame(now, &before, 0), HasSubstr("15.0/s"));
  EXPECT_THAT(TopFrame(now, nullptr, 0), HasSubstr("-/s"));
  Sample other = MakeSample(10, 1000);
  other.stats.incarnation = 7;
  EXPECT_THAT(TopFrame(now, &other, 0), HasSubstr("-/s"));
}

TEST(TopFrameTest, BusySessionsStandFirstAndTheRestIsCounted) {
  const std::string all = TopFrame(MakeSample(1, 1), nullptr, 0);
  EXPECT_LT(all.find("client9"), all.find("client1"));
  EXPECT_THAT(all, Not(HasSubstr("more")));
  const std::string some = TopFrame(MakeSample(1, 1), nullptr, 12);
  EXPECT_EQ(std::count(some.begin(), some.end(), '\n'), 12);
  EXPECT_THAT(some, HasSubstr("client9"));
  EXPECT_THAT(some, Not(HasSubstr("client1")));
  EXPECT_THAT(some, ContainsRegex("and [0-9] more\n$"));
}

}  // namespace
}  // namespace acceld::tools
