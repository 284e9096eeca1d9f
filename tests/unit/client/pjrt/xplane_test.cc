#include "client/pjrt/profile/xplane.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::pjrt {
namespace {

using client::TraceSpan;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "plane/line: name begin+duration [statistic=value ...]", in microseconds after the first thing.
std::vector<std::string> EventsOf(const XSpace& space) {
  std::vector<std::string> events;
  for (const XPlane& plane : space.planes()) {
    for (const XLine& line : plane.lines()) {
      for (const XEvent& event : line.events()) {
        std::string text =
            absl::StrCat(plane.name(), "/", line.name(), ": ",
                         plane.event_metadata().at(event.metadata_id()).name(), " ",
                         event.offset_ps() / 1'000'000, "+", event.duration_ps() / 1'000'000);
        for (const XStat& stat : event.stats()) {
          const std::string& name = plane.stat_metadata().at(stat.metadata_id()).name();
          absl::StrAppend(&text, " ", name, "=");
          if (stat.value_case() == XStat::kDoubleValue) absl::StrAppend(&text, stat.double_value());
          if (stat.value_case() == XStat::kStrValue) absl::StrAppend(&text, stat.str_value());
        }
        events.push_back(text);
      }
    }
  }
  return events;
}

TraceSpan Span(SpanKind kind, const std::string& name, int64_t begin_us, int64_t end_us) {
  return {.kind = kind, .begin_ns = begin_us * 1000, .end_ns = end_us * 1000, .name = name};
}
TraceSpan Execution(const std::string& name, int64_t submitted_us, int64_t begin_us,
                    int64_t end_us) {
  TraceSpan span = Span(SpanKind::kExecution, name, begin_us, end_us);
  span.submitted_ns = submitted_us * 1000;
  return span;
}

TEST(XPlaneTest, HasALineForEachStreamOfADevice) {
  TraceSpan brief = Execution("g", 130, 130, 131);
  brief.express = true;
  TraceSpan elsewhere = Span(SpanKind::kDownload, "download", 150, 160);
  elsewhere.track = 3;
  const XSpace space = ToXSpace({Span(SpanKind::kUpload, "upload", 100, 110),
                                 Execution("f", 105, 120, 140), brief, elsewhere},
                                {{0, "cuda:0"}}, 0);
  EXPECT_THAT(EventsOf(space),
              ElementsAre("/device:CUSTOM:acceld cuda:0/upload: upload 0+10",
                          "/device:CUSTOM:acceld cuda:0/run: f 20+20 queued_us=15",
                          "/device:CUSTOM:acceld cuda:0/queue: f 5+15",
                          "/device:CUSTOM:acceld cuda:0/run (express): g 30+1 queued_us=0",
                          "/device:CUSTOM:acceld device 3/fetch: download 50+10"));
}

TEST(XPlaneTest, CollectivesStandOnTheirDeviceWithTheirParticipant) {
  TraceSpan run = Execution("f", 0, 0, 50);
  TraceSpan collective = Span(SpanKind::kCollective, "all_gather", 10, 40);
  collective.wait_ns = 25'000;
  collective.bytes = 4096;
  collective.code = static_cast<uint8_t>(absl::StatusCode::kCancelled);
  run.track = collective.track = 2;
  run.gang = collective.gang = 7;
  run.participant = collective.participant = 1;
  EXPECT_THAT(EventsOf(ToXSpace({run, collective}, {}, 0)),
              ElementsAre("/device:CUSTOM:acceld device 2/run: f 0+50 queued_us=0 gang=7 "
                          "participant=1",
                          "/device:CUSTOM:acceld device 2/collectives: all_gather 10+30 bytes=4096 "
                          "wait_us=25 gang=7 participant=1 status=CANCELLED"));
}

TEST(XPlaneTest, WhatWaitsTogetherIsQueuedOneAfterTheOther) {
  const XSpace space = ToXSpace(
      {Execution("a", 0, 10, 20), Execution("b", 1, 20, 30), Execution("c", 2, 30, 40)}, {}, 0);
  EXPECT_THAT(EventsOf(space),
              ::testing::IsSupersetOf({"/device:CUSTOM:acceld device 0/queue: a 0+10",
                                       "/device:CUSTOM:acceld device 0/queue: b 10+10",
                                       "/device:CUSTOM:acceld device 0/queue: c 20+10"}));
}

TEST(XPlaneTest, CompilesAreOnLinesOfTheirThreads) {
  TraceSpan compile = Span(SpanKind::kCompile, "f", 0, 10);
  compile.code = 3;
  compile.track = 17;
  TraceSpan step = Span(SpanKind::kCompileStep, "fuse", 2, 5);
  step.track = 17;
  EXPECT_THAT(
      EventsOf(ToXSpace({compile, step}, {}, 0)),
      ElementsAre(
          "/device:CUSTOM:acceld compiler/compile thread 17: f 0+10 status=INVALID_ARGUMENT",
          "/device:CUSTOM:acceld compiler/compile thread 17: fuse 2+3"));
}

TEST(XPlaneTest, LinesSayWhenTheyBeginSince1970) {
  const XSpace space = ToXSpace({Execution("f", 5, 10, 20)}, {}, 1'000'000'000);
  ASSERT_EQ(space.planes_size(), 1);
  for (const XLine& line : space.planes(0).lines()) EXPECT_EQ(line.timestamp_ns(), 1'000'005'000);
}

TEST(XPlaneTest, WhatIsMissingIsAnEvent) {
  EXPECT_THAT(EventsOf(MissingXSpace("it is gone", 5)),
              ElementsAre("/device:CUSTOM:acceld/missing: it is gone 0+0"));
}

TEST(XPlaneTest, NothingIsNoPlane) { EXPECT_THAT(ToXSpace({}, {}, 0).planes(), IsEmpty()); }

}  // namespace
}  // namespace acceld::pjrt
