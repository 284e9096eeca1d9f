#include "server/observability/instruments/trace_ring.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::observability {
namespace {

TraceRing::Record RecordOf(int64_t number, absl::string_view name) {
  return {.kind = SpanKind::kUpload,
          .code = 3,
          .track = 7,
          .session = static_cast<uint64_t>(number),
          .submitted_ns = number,
          .begin_ns = number,
          .end_ns = number + 1,
          .name = name};
}

TEST(TraceRingTest, GivesBackWhatWasAdded) {
  TraceRing ring(4);
  ring.Add(RecordOf(5, "upload"));
  const std::vector<TraceSpan> spans = ring.Read(0);
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].kind, SpanKind::kUpload);
  EXPECT_EQ(spans[0].code, 3);
  EXPECT_EQ(spans[0].track, 7u);
  EXPECT_EQ(spans[0].session, 5u);
  EXPECT_EQ(spans[0].submitted_ns, 5);
  EXPECT_EQ(spans[0].begin_ns, 5);
  EXPECT_EQ(spans[0].end_ns, 6);
  EXPECT_EQ(spans[0].name, "upload");
}

TEST(TraceRingTest, SaysWhichParticipantOfWhichLaunchASpanIsOf) {
  TraceRing ring(4);
  ring.Add({.kind = SpanKind::kExecution,
            .express = true,
            .submitted_ns = 3,
            .begin_ns = 10,
            .end_ns = 20,
            .gang = 1'000'000'000'000,
            .participant = 65'535,
            .name = "main"});
  ring.Add({.kind = SpanKind::kCollective,
            .begin_ns = 12,
            .end_ns = 19,
            .wait_ns = 5,
            .bytes = INT64_MAX,
            .gang = 7,
            .participant = 1,
            .name = "all_reduce"});
  const std::vector<TraceSpan> spans = ring.Read(0);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].submitted_ns, 3);
  EXPECT_EQ(spans[0].wait_ns, 0);
  EXPECT_TRUE(spans[0].express);
  EXPECT_EQ(spans[0].gang, 1'000'000'000'000u);
  EXPECT_EQ(spans[0].participant, 65'535u);
  EXPECT_EQ(spans[1].submitted_ns, 0);
  EXPECT_EQ(spans[1].wait_ns, 5);
  EXPECT_EQ(spans[1].bytes, INT64_MAX);
  EXPECT_EQ(spans[1].gang, 7u);
  EXPECT_EQ(spans[1].participant, 1u);
  EXPECT_EQ(spans[1].name, "all_reduce");
}

TEST(TraceRingTest, NamesOfAnyLengthAreCut) {
  for (size_t size = 0; size < 100; ++size) {
    TraceRing ring(1);
    ring.Add(RecordOf(1, std::string(90, 'x')));
    ring.Add(RecordOf(2, std::string(size, 'y')));
    EXPECT_EQ(ring.Read(0)[0].name, std::string(std::min(size, TraceRing::kMaxNameBytes), 'y'));
  }
}

TEST(TraceRingTest, TheNewestReplaceTheOldest) {
  TraceRing ring(5);
  EXPECT_EQ(ring.capacity(), 8u);
  for (int64_t i = 0; i < 21; ++i) ring.Add(RecordOf(i, "x"));
  const std::vector<TraceSpan> spans = ring.Read(0);
  ASSERT_EQ(spans.size(), 8u);
  for (size_t i = 0; i < spans.size(); ++i) EXPECT_EQ(spans[i].session, 13 + i);
  EXPECT_EQ(ring.Read(20).size(), 2u);
}

TEST(TraceRingTest, OuterSpansStandBeforeThoseWithin) {
  TraceRing ring(4);
  ring.Add({.kind = SpanKind::kCompileStep, .begin_ns = 10, .end_ns = 20, .name = "inner"});
  ring.Add({.kind = SpanKind::kCompile, .begin_ns = 10, .end_ns = 50, .name = "outer"});
  EXPECT_EQ(ring.Read(0)[0].name, "outer");
}

TEST(TraceRingTest, WithoutCapacityNothingIsKept) {
  TraceRing ring(0);
  EXPECT_FALSE(ring.enabled());
  ring.Add(RecordOf(1, "x"));
  EXPECT_TRUE(ring.Read(0).empty());
}

TEST(TraceRingTest, ReadersNeverSeeSpansThatAreMixed) {
  TraceRing ring(8);
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int t = 0; t < 3; ++t) {
    writers.emplace_back([&, t] {
      for (int64_t i = t; !stop.load(); i += 3) {
        ring.Add(RecordOf(i, absl::StrCat("name of span ", i)));
      }
    });
  }
  size_t seen = 0;
  // However late the writers begin.
  while (seen < 10'000) {
    for (const TraceSpan& span : ring.Read(0)) {
      ++seen;
      ASSERT_EQ(span.submitted_ns, static_cast<int64_t>(span.session));
      ASSERT_EQ(span.end_ns, span.begin_ns + 1);
      ASSERT_EQ(span.name, absl::StrCat("name of span ", span.session));
    }
  }
  stop.store(true);
  for (std::thread& writer : writers) writer.join();
}

}  // namespace
}  // namespace acceld::observability
