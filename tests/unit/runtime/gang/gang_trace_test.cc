#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "server/observability/instruments/trace_ring.h"
#include "server/runtime/dispatch/collective_trace.h"
#include "tests/unit/runtime/gang/gang_client.h"

// What a trace has of launches on several devices.
namespace acceld::runtime {
namespace {

using ::acceld::testing::LoadedKernel;

class GangTraceTest : public ::testing::Test {
 protected:
  // The spans of one kind, by their begin.
  std::vector<TraceSpan> Spans(SpanKind kind) const {
    std::vector<TraceSpan> spans = trace_.Read(0);
    spans.erase(std::remove_if(spans.begin(), spans.end(),
                               [&](const TraceSpan& span) { return span.kind != kind; }),
                spans.end());
    return spans;
  }

  observability::TraceRing trace_{8192};
  Cluster cluster_{3, {.trace = &trace_, .slice = kOneSlice}};
  GangClient session_{cluster_, 1};
};

// A kernel that exchanges a value `times` times.
testing::Kernel Meet(int members, int times) {
  return [members, times](const LaunchContext& context) -> absl::Status {
    for (int i = 0; i < times; ++i) {
      ACCELD_ASSIGN_OR_RETURN(Result(context), Sum(context, members, 1));
    }
    return absl::OkStatus();
  };
}

TEST_F(GangTraceTest, SaysWhichParticipantOfALaunchIsOnWhichDevice) {
  for (int round = 0; round < 2; ++round) {
    const GangLaunch launch = session_.Start({2, 0}, LoadedKernel(0, 1, Meet(2, 1)));
    ASSERT_THAT(Ends(launch), ::testing::Each(absl::OkStatus()));
  }
  const ArrayPtr alone = session_.client().Run(
      "g", LoadedKernel(0, 1, [](const auto&) { return absl::OkStatus(); }), {}, 1);
  ASSERT_TRUE(Final(alone).ok());
  cluster_.WaitUntilIdle();
  std::set<uint64_t> gangs;
  std::multiset<std::string> participants;
  for (const TraceSpan& span : Spans(SpanKind::kExecution)) {
    if (span.name == "g") {
      EXPECT_EQ(span.gang, 0u);
    } else {
      gangs.insert(span.gang);
      participants.insert(absl::StrCat(span.participant, " on ", span.track));
    }
  }
  EXPECT_EQ(gangs.size(), 2u);
  EXPECT_FALSE(gangs.contains(0));
  EXPECT_THAT(participants,
              ::testing::UnorderedElementsAre("0 on 2", "0 on 2", "1 on 0", "1 on 0"));
}

TEST_F(GangTraceTest, HasTheCollectivesOfEachParticipant) {
  const GangLaunch launch = session_.Start({0, 1}, LoadedKernel(0, 1, Meet(2, 3)));
  ASSERT_THAT(Ends(launch), ::testing::Each(absl::OkStatus()));
  cluster_.WaitUntilIdle();
  const std::vector<TraceSpan> runs = Spans(SpanKind::kExecution);
  ASSERT_EQ(runs.size(), 2u);
  const std::vector<TraceSpan> spans = Spans(SpanKind::kCollective);
  ASSERT_EQ(spans.size(), 6u);
  for (const TraceSpan& span : spans) {
    EXPECT_EQ(span.name, "all_reduce");
    EXPECT_EQ(span.code, 0);
    EXPECT_EQ(span.bytes, 4);
    EXPECT_EQ(span.session, runs[0].session);
    EXPECT_EQ(span.gang, launch.gang->number());
    EXPECT_EQ(span.participant, span.track);
    EXPECT_GE(span.wait_ns, 0);
    EXPECT_LE(span.begin_ns + span.wait_ns, span.end_ns);
  }
}

TEST_F(GangTraceTest, ParticipantsWaitForTheSlowest) {
  Door door;
  const auto late = LoadedKernel(0, 1, [door](const LaunchContext& context) {
    door.Pass();
    return Meet(2, 1)(context);
  });
  const GangLaunch launch = session_.Start({0, 1}, {LoadedKernel(0, 1, Meet(2, 1)), late});
  door.AwaitArrival();
  door.Open();
  ASSERT_THAT(Ends(launch), ::testing::Each(absl::OkStatus()));
  cluster_.WaitUntilIdle();
  std::vector<TraceSpan> spans = Spans(SpanKind::kCollective);
  ASSERT_EQ(spans.size(), 2u);
  const TraceSpan& first = spans[0];
  const TraceSpan& last = spans[1];
  // It waits until the other has come.
  EXPECT_GE(first.begin_ns + first.wait_ns, last.begin_ns);
}

TEST_F(GangTraceTest, ACollectiveThatNotAllComeToIsInTheTraceWithItsError) {
  const auto fails = LoadedKernel(0, 1, [](const LaunchContext& context) -> absl::Status {
    ACCELD_RETURN_IF_ERROR(Meet(2, 1)(context));
    return absl::DataLossError("broken");
  });
  const GangLaunch launch = session_.Start({0, 1}, {LoadedKernel(0, 1, Meet(2, 2)), fails});
  ASSERT_FALSE(Ends(launch)[0].ok());
  cluster_.WaitUntilIdle();
  const std::vector<TraceSpan> spans = Spans(SpanKind::kCollective);
  // The first collective, too, if it has not left that before the other fails.
  const auto failed = std::find_if(spans.begin(), spans.end(),
                                   [](const TraceSpan& span) { return span.code != 0; });
  ASSERT_TRUE(failed != spans.end());
  EXPECT_EQ(failed->participant, 0u);
  EXPECT_EQ(failed->code, static_cast<uint8_t>(absl::StatusCode::kDataLoss));
  EXPECT_EQ(failed->begin_ns + failed->wait_ns, failed->end_ns);
}

TEST_F(GangTraceTest, ALoopHasOneSpanForWhatIsTooMuch) {
  const GangLaunch launch =
      session_.Start({0, 1}, LoadedKernel(0, 1, Meet(2, kMaxCollectiveSpans + 7)));
  ASSERT_THAT(Ends(launch), ::testing::Each(absl::OkStatus()));
  cluster_.WaitUntilIdle();
  const std::vector<TraceSpan> spans = Spans(SpanKind::kCollective);
  ASSERT_EQ(spans.size(), 2u * (kMaxCollectiveSpans + 1));
  for (const TraceSpan& span : {spans[spans.size() - 2], spans[spans.size() - 1]}) {
    EXPECT_EQ(span.name, "7 more collectives");
    EXPECT_EQ(span.bytes, 7 * 4);
    EXPECT_LE(span.begin_ns + span.wait_ns, span.end_ns);
  }
}

}  // namespace
}  // namespace acceld::runtime
