#include <chrono>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observability/instruments/counter.h"
#include "server/observability/instruments/histogram.h"
#include "server/observability/instruments/rpc_instruments.h"

namespace acceld::observability {
namespace {

using std::chrono::nanoseconds;

// The one bucket that holds something; -1 when it is not one.
int BucketOf(nanoseconds time) {
  Histogram histogram;
  histogram.Observe(time);
  const HistogramSnapshot snapshot = histogram.Read();
  int found = -1;
  for (size_t i = 0; i < snapshot.counts.size(); ++i) {
    if (snapshot.counts[i] == 0) continue;
    if (snapshot.counts[i] != 1 || found >= 0) return -1;
    found = static_cast<int>(i);
  }
  return found;
}

TEST(HistogramTest, BoundsGoFromAMicrosecondToAHundredSeconds) {
  EXPECT_EQ(kBoundsNs[0], 1'000);
  EXPECT_EQ(kBoundsNs[1], 2'000);
  EXPECT_EQ(kBoundsNs[2], 5'000);
  EXPECT_EQ(kBoundsNs[3], 10'000);
  EXPECT_EQ(kBoundsNs.back(), 100'000'000'000);
}

TEST(HistogramTest, ABoundBelongsToItsBucketAndWhatIsAboveToTheNext) {
  for (size_t i = 0; i < kNumBounds; ++i) {
    EXPECT_EQ(BucketOf(nanoseconds(kBoundsNs[i] - 1)), i) << kBoundsNs[i];
    EXPECT_EQ(BucketOf(nanoseconds(kBoundsNs[i])), i) << kBoundsNs[i];
    EXPECT_EQ(BucketOf(nanoseconds(kBoundsNs[i] + 1)), i + 1) << kBoundsNs[i];
  }
}

TEST(HistogramTest, ExtremesHaveABucket) {
  EXPECT_EQ(BucketOf(nanoseconds(0)), 0);
  EXPECT_EQ(BucketOf(nanoseconds(-5)), 0);
  EXPECT_EQ(BucketOf(nanoseconds::max()), static_cast<int>(kNumBounds));
}

TEST(HistogramTest, SumsUpSeconds) {
  Histogram histogram;
  histogram.Observe(std::chrono::milliseconds(1500));
  histogram.Observe(std::chrono::milliseconds(500));
  EXPECT_DOUBLE_EQ(histogram.Read().sum_s, 2.0);
  EXPECT_EQ(histogram.Read().count(), 2u);
}

TEST(HistogramTest, ConcurrentObservationsAreAllCounted) {
  Histogram histogram;
  StatusCounter codes;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        histogram.Observe(nanoseconds(i * 1000));
        codes.Add(absl::StatusCode::kNotFound);
      }
    });
  }
  for (int i = 0; i < 100; ++i) EXPECT_LE(histogram.Read().count(), 4000u);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(histogram.Read().count(), 4000u);
  EXPECT_EQ(codes.Read()[static_cast<size_t>(absl::StatusCode::kNotFound)], 4000u);
}

TEST(StatusCounterTest, CodesThatAreNotCanonicalAreUnknown) {
  StatusCounter codes;
  codes.Add(static_cast<absl::StatusCode>(17));
  codes.Add(static_cast<absl::StatusCode>(-1));
  EXPECT_EQ(codes.Read()[static_cast<size_t>(absl::StatusCode::kUnknown)], 2u);
}

TEST(RpcInstrumentsTest, MethodsThatNobodyKnowsAreOther) {
  RpcInstruments rpc({"Run"}, {"hello"});
  rpc.CountRequest("Run", absl::StatusCode::kOk);
  rpc.CountRequest("/evil/label", absl::StatusCode::kOk);
  rpc.CountCommands(0, 3);
  const auto requests = rpc.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].method, "Run");
  EXPECT_EQ(requests[0].counts[0], 1u);
  EXPECT_EQ(requests[1].method, "other");
  EXPECT_EQ(requests[1].counts[0], 1u);
  EXPECT_EQ(rpc.commands()[0].count, 3u);
}

}  // namespace
}  // namespace acceld::observability
