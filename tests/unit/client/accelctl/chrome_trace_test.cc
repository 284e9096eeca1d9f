#include "client/tools/accelctl/views/chrome_trace.h"

#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace acceld::tools {
namespace {

using client::TraceSpan;
using Json = nlohmann::json;

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

TEST(ChromeTraceTest, CollectivesSayForWhomTheyWaitedAndInWhichLaunch) {
  const auto of_gang = [](TraceSpan span, uint32_t device, uint32_t participant) {
    span.track = device;
    span.gang = 9;
    span.participant = participant;
    return span;
  };
  TraceSpan collective = Execution(3, 0, 6000, 9000);
  collective.kind = SpanKind::kCollective;
  collective.name = "all_reduce";
  collective.wait_ns = 2000;
  collective.bytes = 64;
  // Participant 1 is not in the trace.
  const Json events = Json::parse(ChromeTrace({of_gang(Execution(3, 5000, 5000, 9500), 4, 0),
                                               of_gang(Execution(3, 5000, 5000, 9500), 2, 2),
                                               of_gang(collective, 4, 0)}))["traceEvents"];
  std::map<std::string, Json> found;
  for (const Json& event : events) {
    if (event["ph"] == "X" && event["pid"] == 5) found[event["name"]] = event;
  }
  const Json& exchange = found["all_reduce"];
  EXPECT_EQ(exchange["ts"], 1.0);
  EXPECT_EQ(exchange["dur"], 3.0);
  EXPECT_EQ(exchange["args"]["gang"], 9);
  EXPECT_EQ(exchange["args"]["participant"], 0);
  EXPECT_EQ(exchange["args"]["devices"], Json::parse("[4, null, 2]"));
  EXPECT_EQ(exchange["args"]["bytes"], 64);
  EXPECT_EQ(exchange["args"]["wait_us"], 2.0);
  EXPECT_NE(exchange["tid"], found["main"]["tid"]);
  EXPECT_EQ(found["main"]["args"]["devices"], exchange["args"]["devices"]);
  EXPECT_EQ(found["wait"]["tid"], exchange["tid"]);
  EXPECT_EQ(found["wait"]["ts"], 1.0);
  EXPECT_EQ(found["wait"]["dur"], 2.0);
}

TEST(ChromeTraceTest, ParticipantsThatNoDaemonHasAreHarmless) {
  TraceSpan run = Execution(3, 1, 2, 3);
  run.gang = 1;
  run.participant = UINT32_MAX;
  EXPECT_EQ(Json::parse(ChromeTrace({run}))["traceEvents"].back()["args"]["participant"],
            UINT32_MAX);
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

}  // namespace
}  // namespace acceld::tools
