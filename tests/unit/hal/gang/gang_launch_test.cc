#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/hal/cpu/cpu_gang.h"
#include "server/hal/cpu/cpu_stream.h"
#include "server/hal/cpu/host_module.h"
#include "tests/unit/hal/gang/participants.h"
#include "tests/unit/status_matchers.h"

// Launches of several participants on CPU streams.
namespace acceld::hal::cpu {
namespace {

using kernels::Collective;
using kernels::cpu::LaunchContext;
using Kernel = std::function<absl::Status(const LaunchContext&)>;

class FunctionModule final : public HostModule {
 public:
  explicit FunctionModule(Kernel kernel) : kernel_(std::move(kernel)) {}
  int64_t size_bytes() const override { return 0; }
  int64_t device_bytes() const override { return 0; }
  absl::Status Run(LaunchContext context) const override { return kernel_(context); }

 private:
  const Kernel kernel_;
};

// A stream for each participant of a gang.
class GangLaunchTest : public ::testing::Test {
 protected:
  static constexpr int kCount = 3;

  GangLaunchTest() {
    for (int i = 0; i < kCount; ++i) {
      streams_.push_back(std::make_unique<CpuStream>(absl::StrCat("test-", i)));
    }
  }
  Event Run(int participant, Kernel kernel, std::shared_ptr<RunControl> control = nullptr,
            bool may_run_inline = false) {
    return streams_[static_cast<size_t>(participant)]->Run(
        {.module = std::make_shared<const FunctionModule>(std::move(kernel)),
         .control = std::move(control),
         .may_run_inline = may_run_inline,
         .gang = gang_,
         .participant = participant});
  }
  Event RunInline(int participant, Kernel kernel, std::shared_ptr<RunControl> control = nullptr) {
    return Run(participant, std::move(kernel), std::move(control), /*may_run_inline=*/true);
  }
  // Adds `value` up over all participants.
  static absl::StatusOr<int32_t> Sum(const LaunchContext& context, int32_t value) {
    const Collective collective = testing::SameTypeCollective(Collective::Kind::kAllReduce,
                                                              {{0, 1, 2}}, {ir::DType::kI32, {}});
    int32_t sum = 0;
    const void* const operands[] = {&value};
    void* const results[] = {&sum};
    ACCELD_RETURN_IF_ERROR(context.collectives->Run(collective, 4, operands, results));
    return sum;
  }
  static absl::Status SumOnce(const LaunchContext& context) { return Sum(context, 1).status(); }

  const std::shared_ptr<CpuGang> gang_ = std::make_shared<CpuGang>(kCount);
  std::vector<std::unique_ptr<CpuStream>> streams_;
};

TEST_F(GangLaunchTest, ParticipantsExchangeValuesOnTheirStreams) {
  int32_t sums[kCount] = {};
  std::thread::id threads[kCount];
  std::vector<Event> events;
  for (int i = 0; i < kCount; ++i) {
    events.push_back(Run(i, [&, i](const LaunchContext& context) -> absl::Status {
      threads[i] = std::this_thread::get_id();
      for (int32_t round = 0; round < 100; ++round) {
        ACCELD_ASSIGN_OR_RETURN(sums[i], Sum(context, round + i));
        if (sums[i] != 3 * round + 3) return absl::DataLossError("a wrong sum");
      }
      return absl::OkStatus();
    }));
  }
  for (int i = 0; i < kCount; ++i) {
    EXPECT_THAT(events[static_cast<size_t>(i)].Await(), IsOk());
    EXPECT_EQ(sums[i], 300);
    EXPECT_NE(threads[i], std::this_thread::get_id());
  }
  EXPECT_EQ(gang_->stats().collectives, 100 * kCount);
}

TEST_F(GangLaunchTest, ShortLaunchesRunTogetherOnTheCallingThread) {
  const std::thread::id self = std::this_thread::get_id();
  int num_begun = 0;
  std::vector<Event> events;
  for (int i = 0; i < kCount; ++i) {
    events.push_back(RunInline(i, [&, i](const LaunchContext& context) -> absl::Status {
      if (std::this_thread::get_id() != self) return absl::InternalError("another thread");
      ++num_begun;
      for (int32_t round = 0; round < 100; ++round) {
        ACCELD_ASSIGN_OR_RETURN(const int32_t sum, Sum(context, round + i));
        if (sum != 3 * round + 3) return absl::DataLossError("a wrong sum");
      }
      return absl::OkStatus();
    }));
  }
  EXPECT_EQ(num_begun, 0);
  for (const Event& event : events) EXPECT_FALSE(event.IsReady());
  gang_->RunInline();
  for (const Event& event : events) {
    ASSERT_TRUE(event.IsReady());
    EXPECT_THAT(event.Await(), IsOk());
  }
  // The streams are idle again.
  const auto next = std::make_shared<CpuGang>(1);
  const auto nothing =
      std::make_shared<const FunctionModule>([](const LaunchContext&) { return absl::OkStatus(); });
  EXPECT_THAT(streams_[0]->Run({.module = nothing, .gang = next}).Await(), IsOk());
}

TEST_F(GangLaunchTest, ShortLaunchesGoToTheirStreamsIfOneOfThemIsBusy) {
  Promise<Unit> end;
  const Event ended = end.future();
  const Event busy =
      streams_[1]->Run({.module = std::make_shared<const FunctionModule>([&](const LaunchContext&) {
                          (void)ended.Await();
                          return absl::OkStatus();
                        })});
  std::vector<Event> events;
  for (int i = 0; i < kCount; ++i) {
    events.push_back(RunInline(i, [&, i](const LaunchContext& context) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(const int32_t sum, Sum(context, i));
      return sum == 3 ? absl::OkStatus() : absl::DataLossError("a wrong sum");
    }));
  }
  gang_->RunInline();
  for (const Event& event : events) EXPECT_FALSE(event.IsReady());
  end.Set(Unit{});
  for (const Event& event : events) EXPECT_THAT(event.Await(), IsOk());
}

TEST_F(GangLaunchTest, TheFailureOfOneShortLaunchIsThatOfAll) {
  const Event first = RunInline(0, SumOnce);
  const Event second =
      RunInline(1, [](const LaunchContext&) { return absl::DataLossError("broken"); });
  const Event third = RunInline(2, SumOnce);
  gang_->RunInline();
  EXPECT_EQ(second.Await().status(), absl::DataLossError("broken"));
  for (const Event& event : {first, third}) {
    EXPECT_EQ(event.Await().status(), absl::DataLossError("participant 1 failed: broken"));
  }
}

TEST_F(GangLaunchTest, AShortLaunchThatIsCancelledEndsTheOthers) {
  const auto control = std::make_shared<RunControl>();
  const Event first = RunInline(0, SumOnce);
  const Event second = RunInline(1, [&](const LaunchContext& context) {
    control->Cancel();
    return SumOnce(context);
  });
  const Event third = RunInline(2, SumOnce, control);
  gang_->RunInline();
  for (const Event& event : {first, second}) {
    EXPECT_THAT(event.Await(), FailsWith(absl::StatusCode::kCancelled, "participant 2 failed"));
  }
  EXPECT_THAT(third.Await(), FailsWith(absl::StatusCode::kCancelled, ""));
}

TEST_F(GangLaunchTest, TheFailureOfOneIsThatOfAll) {
  const Event first = Run(0, SumOnce);
  const Event second = Run(1, [](const LaunchContext&) { return absl::DataLossError("broken"); });
  const Event third = Run(2, SumOnce);
  EXPECT_EQ(second.Await().status(), absl::DataLossError("broken"));
  for (const Event& event : {first, third}) {
    EXPECT_EQ(event.Await().status(), absl::DataLossError("participant 1 failed: broken"));
  }
}

TEST_F(GangLaunchTest, OneThatIsCancelledBeforeItBeginsEndsTheOthers) {
  const Event first = Run(0, SumOnce);
  const Event second = Run(1, SumOnce);
  const auto control = std::make_shared<RunControl>();
  control->Cancel();
  EXPECT_THAT(Run(2, SumOnce, control).Await(), FailsWith(absl::StatusCode::kCancelled, "before"));
  for (const Event& event : {first, second}) {
    EXPECT_THAT(event.Await(), FailsWith(absl::StatusCode::kCancelled, "participant 2 failed"));
  }
}

TEST_F(GangLaunchTest, OneThatIsCancelledWhileItWaitsEndsTheOthers) {
  const auto control = std::make_shared<RunControl>();
  const Event first = Run(0, SumOnce, control);
  const Event second = Run(1, SumOnce);
  control->Cancel();
  EXPECT_THAT(first.Await(), FailsWith(absl::StatusCode::kCancelled, ""));
  EXPECT_THAT(second.Await(), FailsWith(absl::StatusCode::kCancelled, "participant 0 failed"));
  EXPECT_THAT(Run(2, SumOnce).Await(), FailsWith(absl::StatusCode::kCancelled, "participant 0"));
}

TEST_F(GangLaunchTest, WhoWaitsForARunThatHasEndedFails) {
  const Event first = Run(0, SumOnce);
  const Event second = Run(1, [](const LaunchContext&) { return absl::OkStatus(); });
  const Event third = Run(2, SumOnce);
  EXPECT_THAT(second.Await(), IsOk());
  for (const Event& event : {first, third}) {
    EXPECT_EQ(event.Await().status(),
              absl::InternalError(
                  "deadlock: participants 0, 2 wait in all_reduce of tensor<i32> (step 4), "
                  "participant 1 has ended"));
  }
}

TEST_F(GangLaunchTest, LaunchesOfOneStreamAreInOrder) {
  const Event first = Run(0, SumOnce);
  std::vector<Event> events = {Run(1, SumOnce), Run(2, SumOnce)};
  const auto other = std::make_shared<CpuGang>(1);
  bool ran = false;
  const Event next = streams_[0]->Run(
      {.module = std::make_shared<const FunctionModule>([&](const LaunchContext& context) {
         ran = first.IsReady() && context.collectives != nullptr;
         return absl::OkStatus();
       }),
       .gang = other});
  EXPECT_THAT(next.Await(), IsOk());
  EXPECT_TRUE(ran);
  for (const Event& event : events) EXPECT_THAT(event.Await(), IsOk());
}

TEST_F(GangLaunchTest, ALaunchOnOneDeviceHasNoCollectives) {
  const Event event = streams_[0]->Run(
      {.module = std::make_shared<const FunctionModule>([](const LaunchContext& context) {
         return context.collectives == nullptr ? absl::OkStatus()
                                               : absl::InternalError("there are");
       })});
  EXPECT_THAT(event.Await(), IsOk());
}

}  // namespace
}  // namespace acceld::hal::cpu
