#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/engine/engine.h"
#include "server/engine/metrics.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/sharded_fixture.h"
#include "tests/unit/status_matchers.h"

// Executions on several devices.
namespace acceld::engine {
namespace {

using ::acceld::testing::Await;
using ::acceld::testing::Eventually;
using ::acceld::testing::FetchFloats;
using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::ElementsAre;
using Clock = std::chrono::steady_clock;

TEST_F(ShardedTest, ProcessesExchangeValuesOnTheirDevices) {
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {20, 21}, {}), IsOk());
  ASSERT_THAT(session_->ExecuteSharded(kTotal3, {2, 0, 1}, {12, 10, 11}, {22, 23, 24}, {}), IsOk());
  // The inputs of other devices are copied, and results are inputs of others.
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {2, 0}, {20, 24}, {25, 26}, {}), IsOk());
  for (const Handle handle : {20, 21}) {
    EXPECT_THAT(FetchFloats(*session_, handle), ElementsAre(3, 30));
  }
  for (const Handle handle : {22, 23, 24}) {
    EXPECT_THAT(FetchFloats(*session_, handle), ElementsAre(6, 60));
  }
  const std::vector<std::pair<Handle, uint32_t>> devices = {{20, 0}, {21, 1}, {22, 2}, {23, 0},
                                                            {24, 1}, {25, 2}, {26, 0}};
  for (const auto& [handle, device] : devices) {
    const std::string name = absl::StrCat("array-", handle);
    ASSERT_THAT(session_->Publish(handle, name, {}), IsOk());
    const absl::StatusOr<ArrayInfo> info = session_->OpenNamed(handle + 100, name);
    ASSERT_THAT(info, IsOk());
    EXPECT_EQ(info->device, device) << handle;
  }
  EXPECT_THAT(FetchFloats(*session_, 25), ElementsAre(9, 90));
  EXPECT_THAT(FetchFloats(*session_, 26), ElementsAre(9, 90));
}

TEST_F(ShardedTest, TheNumberOfTheProcessIsItsLastArgument) {
  ASSERT_THAT(session_->ExecuteSharded(kNumber3, {2, 0, 1}, {}, {20, 21, 22}, {}), IsOk());
  ASSERT_THAT(session_->ExecuteSharded(kNumber3, {0, 1, 2}, {}, {23, 24, 25}, {}), IsOk());
  for (Handle i = 0; i < 6; ++i) {
    EXPECT_THAT(FetchFloats(*session_, 20 + i), ElementsAre(static_cast<float>(i % 3)));
  }
}

TEST_F(ShardedTest, ProcessesThatExchangeNothingNeedNoGangOnceTheProgramIsThere) {
  // The first launch waits for the program, the second one finds it in the cache.
  for (const Handle first : {20, 50}) {
    const std::vector<Handle> outputs = {first, first + 1, first + 2};
    ASSERT_THAT(session_->ExecuteSharded(kNumber3, {0, 1, 2}, {}, outputs, {}), IsOk());
    EXPECT_THAT(Ends(outputs), Each(IsOk()));
  }
  const uint64_t begun = engine_->Stats().gangs;
  ASSERT_THAT(session_->ExecuteSharded(kNumber3, {0, 1, 2}, {}, {30, 31, 32}, {}), IsOk());
  for (Handle i = 0; i < 3; ++i) {
    EXPECT_THAT(FetchFloats(*session_, 30 + i), ElementsAre(static_cast<float>(i)));
  }
  EXPECT_EQ(engine_->Stats().gangs, begun);
  // With a deadline, all of them are late or none.
  const ExecuteOptions late{.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1)};
  ASSERT_THAT(session_->ExecuteSharded(kNumber3, {0, 1, 2}, {}, {40, 41, 42}, late), IsOk());
  EXPECT_THAT(Ends({40, 41, 42}), Each(IsOk()));
  EXPECT_EQ(engine_->Stats().gangs, begun + 1);
}

TEST_F(ShardedTest, CountsThatDoNotFitAreRefused) {
  EXPECT_THAT(session_->ExecuteSharded(kTotal2, {}, {10}, {20}, {}), IsRefused("names none"));
  EXPECT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11, 12}, {20, 21}, {}),
              IsRefused("3 inputs are given for 2 devices"));
  EXPECT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {20, 21, 22}, {}),
              IsRefused("3 outputs are given for 2 devices"));
  EXPECT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {10, 20}, {}),
              FailsWith(absl::StatusCode::kAlreadyExists, "handle 10"));
  EXPECT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {20, 20}, {}),
              FailsWith(absl::StatusCode::kAlreadyExists, "handle 20"));
  EXPECT_THAT(Ends({20, 21, 22}), Each(FailsWith(absl::StatusCode::kNotFound, "not defined")));
}

TEST_F(ShardedTest, WrongOperandsFailTheOutputsOfAll) {
  struct Wrong {
    ProgramId program;
    std::vector<uint32_t> devices;
    std::vector<Handle> inputs;
    absl::StatusCode code;
    std::string message;
  };
  const absl::StatusCode invalid = absl::StatusCode::kInvalidArgument;
  const absl::StatusCode not_found = absl::StatusCode::kNotFound;
  const std::vector<Wrong> wrong = {
      {99, {0, 1}, {10, 11}, not_found, "program 99 is not registered"},
      {kTotal2, {0, 1}, {10, 99}, not_found, "program total_of_2: handle 99 is not defined"},
      {kTotal3, {0, 1}, {10, 11}, invalid, "it is for 3 processes, 2 devices are given"},
      {kTotal2, {0}, {10}, invalid, "it is for 2 processes"},
      {kAddOne, {0, 1}, {10, 11}, invalid, "is executed on several devices"},
      {kAddOne, {0}, {10}, invalid, "is executed on several devices"},
      {kTotal2, {1, 1}, {10, 11}, invalid, "device 1 is given twice"},
      {kTotal2, {0, 7}, {10, 11}, invalid, "device 7: there are 3"},
      {kTotal2, {0, 1}, {10, 11, 10, 11}, invalid, "the arguments do not fit"},
      {kTotal2, {0, 1}, {}, invalid, "the arguments do not fit"},
      {kBad2, {0, 1}, {10, 11}, absl::StatusCode::kUnimplemented, "no lowering"}};
  Handle next = 20;
  for (const Wrong& test : wrong) {
    std::vector<Handle> outputs;
    for (size_t i = 0; i < test.devices.size(); ++i) outputs.push_back(next++);
    ASSERT_THAT(session_->ExecuteSharded(test.program, test.devices, test.inputs, outputs, {}),
                IsOk());
    const std::vector<absl::Status> ends = Ends(outputs);
    EXPECT_THAT(ends[0], FailsWith(test.code, test.message));
    EXPECT_THAT(ends, Each(ends[0]));
  }
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {100, 101, 102, 103}, {}),
              IsOk());
  EXPECT_THAT(Ends({100, 101, 102, 103}),
              Each(IsRefused("it returns 1 results, 2 handles are given")));
  EXPECT_TRUE(Eventually([&] { return session_->queued() == 0; }));
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {104, 105}, {}), IsOk());
  EXPECT_THAT(FetchFloats(*session_, 105), ElementsAre(3, 30));
}

TEST_F(ShardedTest, AProgramForSeveralProcessesIsNotExecutedOnOneDevice) {
  ASSERT_THAT(session_->Execute(kTotal2, {10}, {20}, 0), IsOk());
  EXPECT_THAT(Ends({20}), Each(IsRefused("it cannot be executed on one")));
}

TEST_F(ShardedTest, OnlyArraysOfClientsAreCounted) {
  const EngineStats before = engine_->Stats();
  ASSERT_THAT(session_->ExecuteSharded(kNumber3, {2, 0, 1}, {}, {20, 21, 22}, {}), IsOk());
  EXPECT_THAT(Ends({20, 21, 22}), Each(IsOk()));
  EXPECT_EQ(engine_->Stats().arrays, before.arrays + 3);
  EXPECT_EQ(engine_->Stats().array_bytes, before.array_bytes + 3 * sizeof(float));
  session_->Release({20, 21, 22});
  EXPECT_TRUE(Eventually([&] { return engine_->Stats().arrays == before.arrays; }));
}

// Each of their numbers would take memory of the device.
TEST_F(ShardedTest, ManyDevicesTakeNoMemory) {
  const uint64_t before = engine_->Devices()[0].memory_used_bytes;
  const std::vector<uint32_t> devices(1000, 0);
  (void)session_->ExecuteSharded(kNumber3, devices, {}, {}, {});
  EXPECT_THAT(FetchFloats(*session_, 10), ElementsAre(1, 10));
  EXPECT_LT(engine_->Devices()[0].memory_used_bytes, before + 1000 * sizeof(float));
}

TEST_F(ShardedTest, AnInputThatHasFailedFailsTheOutputsOfAll) {
  ASSERT_THAT(session_->Execute(kFail, {10}, {13}, 0), IsOk());
  const absl::Status error = Await(*session_, 13).status;
  EXPECT_THAT(error, FailsWith(absl::StatusCode::kInternal, "library call failed"));
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {13, 11}, {20, 21}, {}), IsOk());
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 13}, {22, 23}, {}), IsOk());
  // And so on.
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {1, 2}, {20, 12}, {24, 25}, {}), IsOk());
  EXPECT_THAT(Ends({20, 21, 22, 23, 24, 25}), Each(error));
}

TEST_F(ShardedTest, AnInputThatIsGoingToFailFailsTheOutputsOfAll) {
  for (Handle next = 20; next < 120; next += 10) {
    ASSERT_THAT(session_->Execute(kFail, {11}, {next}, 1), IsOk());
    ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, next}, {next + 1, next + 2}, {}),
                IsOk());
    ASSERT_THAT(session_->ExecuteSharded(kTotal2, {1, 2}, {next + 1, 12}, {next + 3, next + 4}, {}),
                IsOk());
    const std::vector<absl::Status> ends = Ends({next, next + 1, next + 2, next + 3, next + 4});
    EXPECT_THAT(ends[0], FailsWith(absl::StatusCode::kInternal, "library call failed"));
    EXPECT_THAT(ends, Each(ends[0]));
  }
}

TEST_F(ShardedTest, TheFailureOfOneProcessFailsTheOutputsOfAll) {
  for (Handle next = 20; next < 60; next += 2) {
    ASSERT_THAT(session_->ExecuteSharded(kFailLate2, {0, 1}, {10, 11}, {next, next + 1}, {}),
                IsOk());
    const std::vector<absl::Status> ends = Ends({next, next + 1});
    EXPECT_THAT(ends[0], FailsWith(absl::StatusCode::kInternal, "library call failed"));
    EXPECT_THAT(ends[0], FailsWith(absl::StatusCode::kInternal, "program fail_late_of_2: "));
    EXPECT_EQ(ends[1], ends[0]);
  }
}

TEST_F(ShardedTest, TheCancellationOfOneResultIsThatOfAll) {
  for (const Handle cancelled : {20, 31, 40}) {
    const Handle first = cancelled / 10 * 10;
    ASSERT_THAT(session_->ExecuteSharded(kMeet2, {0, 1}, {}, {first, first + 1}, {}), IsOk());
    if (cancelled != 40) {
      EXPECT_TRUE(Eventually([&] { return engine_->Running().size() == 2; }));
    }
    session_->Cancel({cancelled}, kReason);
    EXPECT_THAT(Ends({first, first + 1}), Each(kReason));
    EXPECT_TRUE(Eventually([&] { return engine_->Running().empty(); }));
  }
}

TEST_F(ShardedTest, AResultThatNobodyWantsDoesNotEndTheOthers) {
  Promise<Unit> gate;
  compiler_.may_end = gate.future();
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {20, 21}, {}), IsOk());
  session_->Release({20});
  gate.Set(Unit{});
  EXPECT_THAT(FetchFloats(*session_, 21), ElementsAre(3, 30));
}

TEST_F(ShardedTest, ALaunchEndsWhenNoneOfItsResultsIsHeld) {
  ASSERT_THAT(session_->ExecuteSharded(kMeet2, {0, 1}, {}, {20, 21}, {}), IsOk());
  EXPECT_TRUE(Eventually([&] { return engine_->Running().size() == 2; }));
  // One that has not begun, on the same devices.
  ASSERT_THAT(session_->ExecuteSharded(kMeet2, {1, 0}, {}, {30, 31}, {}), IsOk());
  session_->Release({30, 31});
  EXPECT_TRUE(Eventually([&] { return session_->queued() == 2; }));
  EXPECT_EQ(engine_->Running().size(), 2);
  session_->Release({21});
  session_->Release({20});
  EXPECT_TRUE(Eventually([&] { return session_->queued() == 0; }));
  EXPECT_TRUE(Eventually([&] { return engine_->Running().empty(); }));
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {40, 41}, {}), IsOk());
  EXPECT_THAT(FetchFloats(*session_, 41), ElementsAre(3, 30));
}

class ShardedDonationTest : public ShardedTest {
 protected:
  uint64_t DonatedBytes() const {
    uint64_t bytes = 0;
    for (const auto& device : engine_->Metrics().devices) bytes += device.donated_bytes;
    return bytes;
  }
};

TEST_F(ShardedDonationTest, DonatedArraysBecomeTheResults) {
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {20, 21}, {.donated = kFirst}),
              IsOk());
  EXPECT_THAT(FetchFloats(*session_, 20), ElementsAre(3, 30));
  EXPECT_THAT(FetchFloats(*session_, 21), ElementsAre(3, 30));
  EXPECT_EQ(DonatedBytes(), 16u);
  EXPECT_THAT(Ends({10, 11}), Each(FailsWith(absl::StatusCode::kFailedPrecondition,
                                             "was donated to program total_of_2")));
}

TEST_F(ShardedDonationTest, WrongListsAreRefusedAndTakeNothing) {
  const std::vector<uint32_t> none_such = {1}, twice = {0, 0};
  const std::vector<Handle> inputs = {10, 11}, same = {10, 10};
  EXPECT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, inputs, {20, 21}, {.donated = none_such}),
              IsRefused("argument 1 is donated"));
  EXPECT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, inputs, {20, 21}, {.donated = twice}),
              IsRefused("donated twice"));
  // Two processes cannot both have it.
  EXPECT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, same, {20, 21}, {.donated = kFirst}),
              IsRefused("handle 10"));
  EXPECT_THAT(FetchFloats(*session_, 10), ElementsAre(1, 10));
  EXPECT_THAT(FetchFloats(*session_, 11), ElementsAre(2, 20));
}

TEST_F(ShardedDonationTest, WhatFailsBeforeItStartsGivesThemBack) {
  ASSERT_THAT(session_->ExecuteSharded(kBad2, {0, 1}, {10, 11}, {20, 21}, {.donated = kFirst}),
              IsOk());
  EXPECT_THAT(Ends({20, 21}), Each(FailsWith(absl::StatusCode::kUnimplemented, "no lowering")));
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 7}, {10, 11}, {22, 23}, {.donated = kFirst}),
              IsOk());
  EXPECT_THAT(Ends({22, 23}), Each(IsRefused("device 7")));
  EXPECT_THAT(FetchFloats(*session_, 10), ElementsAre(1, 10));
  EXPECT_THAT(FetchFloats(*session_, 11), ElementsAre(2, 20));
}

TEST_F(ShardedTest, ADeadlineEndsAll) {
  Handle next = 20;
  for (const milliseconds timeout : {milliseconds(0), milliseconds(20)}) {
    ASSERT_THAT(session_->ExecuteSharded(kMeet2, {0, 1}, {}, {next, next + 1},
                                         {.deadline = Clock::now() + timeout}),
                IsOk());
    const std::vector<absl::Status> ends = Ends({next, next + 1});
    EXPECT_THAT(ends[0], FailsWith(absl::StatusCode::kDeadlineExceeded, "program meet_of_2"));
    EXPECT_EQ(ends[1], ends[0]);
    next += 2;
  }
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {next, next + 1},
                                       {.deadline = Clock::now() + std::chrono::hours(1)}),
              IsOk());
  EXPECT_THAT(FetchFloats(*session_, next), ElementsAre(3, 30));
}

TEST_F(ShardedTest, ADeadlineEndsWhatOutlastsTheFirstProcess) {
  ASSERT_THAT(session_->ExecuteSharded(kStay2, {0, 1}, {}, {20, 21},
                                       {.deadline = Clock::now() + milliseconds(50)}),
              IsOk());
  // Rather than awaiting the result, which would never come if it failed.
  EXPECT_TRUE(Eventually([&] { return session_->queued() == 0; }));
  session_->Cancel({21}, kReason);
  EXPECT_THAT(Await(*session_, 21).status, FailsWith(absl::StatusCode::kDeadlineExceeded, ""));
}

TEST_F(ShardedTest, ASessionThatIsClosedFreesAllDevicesSoon) {
  const std::shared_ptr<Session> other = Open("other");
  for (Handle next = 20; next < 80; next += 6) {
    ASSERT_THAT(session_->ExecuteSharded(kMeet2, {0, 1}, {}, {next, next + 1}, {}), IsOk());
    ASSERT_THAT(session_->ExecuteSharded(kMeet2, {2, 1}, {}, {next + 2, next + 3}, {}), IsOk());
    ASSERT_THAT(session_->ExecuteSharded(kTotal2, {2, 0}, {12, 10}, {next + 4, next + 5}, {}),
                IsOk());
  }
  ASSERT_THAT(other->ExecuteSharded(kTotal3, {0, 1, 2}, {10, 11, 12}, {20, 21, 22}, {}), IsOk());
  EXPECT_TRUE(Eventually([&] { return !engine_->Running().empty(); }));
  const Clock::time_point begin = Clock::now();
  session_->Close("the test says so");
  EXPECT_THAT(FetchFloats(*other, 21), ElementsAre(6, 60));
  EXPECT_TRUE(Eventually([&] { return engine_->Running().empty(); }));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
  EXPECT_TRUE(Eventually([&] { return session_->queued() == 0; }));
  EXPECT_EQ(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {90, 91}, {}),
            absl::CancelledError("the test says so"));
}

// A closed session may outlive its engine.
TEST_F(ShardedTest, AClosedSessionDoesNotUseTheEngine) {
  engine_.reset();
  EXPECT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {20, 21}, {}),
              FailsWith(absl::StatusCode::kCancelled, "the daemon is shutting down"));
}

class ShardedLimitTest : public ShardedTest {
 protected:
  ShardedLimitTest() : ShardedTest(EngineOptions{.max_queued_executions = 3}) {}
};

TEST_F(ShardedLimitTest, EachProcessIsAnExecutionInTheQueue) {
  EXPECT_TRUE(Eventually([&] { return session_->queued() == 0; }));
  ASSERT_THAT(session_->ExecuteSharded(kMeet2, {0, 1}, {}, {20, 21}, {}), IsOk());
  EXPECT_EQ(session_->queued(), 2);
  EXPECT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {22, 23}, {}),
              FailsWith(absl::StatusCode::kResourceExhausted, "4 of 3 executions"));
  session_->Cancel({20}, kReason);
  EXPECT_THAT(Ends({20, 21}), Each(kReason));
  EXPECT_TRUE(Eventually([&] { return session_->queued() == 0; }));
  ASSERT_THAT(session_->ExecuteSharded(kTotal2, {0, 1}, {10, 11}, {22, 23}, {}), IsOk());
  EXPECT_THAT(FetchFloats(*session_, 23), ElementsAre(3, 30));
}

}  // namespace
}  // namespace acceld::engine
