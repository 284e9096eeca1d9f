#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "server/engine/engine.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

// Executions and uploads that are cancelled or run out of time.
namespace acceld::engine {
namespace {

using ::acceld::testing::Await;
using ::acceld::testing::Eventually;
using ::acceld::testing::FakeCompiler;
using ::acceld::testing::FetchFloats;
using ::acceld::testing::FetchResultOf;
using ::acceld::testing::Floats;
using ::acceld::testing::MakeFakeEngine;
using ::acceld::testing::ModuleNamed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ProgramId kAddOne = 1, kSpin = 2;
const absl::Status kReason = absl::AbortedError("nobody wants it");

class CancelExecutionTest : public ::testing::Test {
 protected:
  CancelExecutionTest()
      : engine_(MakeFakeEngine(compiler_)), session_(*engine_->OpenSession({.client_name = "x"})) {
    EXPECT_TRUE(session_->RegisterProgram(kAddOne, ModuleNamed("add_one"), "main").ok());
    EXPECT_TRUE(session_->RegisterProgram(kSpin, ModuleNamed("spin"), "main").ok());
    EXPECT_TRUE(session_->Put(1, Floats({1, 2}), 0).ok());
  }

  FakeCompiler compiler_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<Session> session_;
};

TEST_F(CancelExecutionTest, CancelFailsAnExecutionAndWhatIsComputedFromIt) {
  Promise<Unit> gate;
  compiler_.may_end = gate.future();
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {2}, 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {2}, {3}, 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {4}, 0).ok());
  session_->Cancel({2, 99}, kReason);
  EXPECT_EQ(Await(*session_, 2).status, kReason);
  gate.Set(Unit{});
  EXPECT_EQ(Await(*session_, 3).status, kReason);
  EXPECT_THAT(FetchFloats(*session_, 4), ElementsAre(2, 3));
}

TEST_F(CancelExecutionTest, CancelStopsAKernelThatRunsAndTheDeviceGoesOn) {
  ASSERT_TRUE(session_->Execute(kSpin, {}, {2}, 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {3}, 0).ok());
  session_->Cancel({2}, kReason);
  EXPECT_EQ(Await(*session_, 2).status, kReason);
  EXPECT_THAT(FetchFloats(*session_, 3), ElementsAre(2, 3));
}

TEST_F(CancelExecutionTest, WhatRunsForNobodyIsStoppedAndWhatWaitsForNobodyNeverRuns) {
  Promise<Unit> gate;
  compiler_.may_end = gate.future();
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {2}, 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {2}, {3}, 0).ok());
  session_->Release({2, 3});
  EXPECT_TRUE(Eventually([&] { return session_->queued() == 0; }));
  gate.Set(Unit{});
  ASSERT_TRUE(session_->Execute(kSpin, {}, {4}, 0).ok());
  EXPECT_TRUE(Eventually([&] { return !engine_->Running().empty(); }));
  session_->Release({4});
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {5}, 0).ok());
  EXPECT_THAT(FetchFloats(*session_, 5), ElementsAre(2, 3));
  EXPECT_EQ(engine_->Stats().executions, 1U);
  EXPECT_EQ(engine_->Stats().execution_failures, 0U);
}

TEST_F(CancelExecutionTest, AnAnswerThatIsOwedHoldsTheExecutionUnlessItLapses) {
  std::vector<absl::StatusCode> lapsed;
  Mutex mutex;
  ASSERT_TRUE(session_->BeginUpload(2, testing::F32({2}), 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {2}, {3}, 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {2}, {4}, 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {2}, {5}, 0).ok());
  Promise<absl::StatusCode> awaited, fetched;
  session_->Await(3, [&](const ReadyResult& result) { awaited.Set(result.status.code()); });
  session_->Fetch(4, [&](const FetchResult& result) { fetched.Set(result.array.status().code()); });
  const auto of_await = awaited.future();
  const auto of_fetch = fetched.future();
  session_->Await(5, {.lapses = true}, [&](const ReadyResult& result) {
    MutexLock lock(mutex);
    lapsed.push_back(result.status.code());
  });
  session_->Fetch(5, {.lapses = true}, [&](const FetchResult& result) {
    MutexLock lock(mutex);
    lapsed.push_back(result.array.status().code());
  });
  session_->Release({3, 4, 5});
  EXPECT_TRUE(Eventually([&] {
    MutexLock lock(mutex);
    return lapsed == std::vector(2, absl::StatusCode::kCancelled);
  }));
  EXPECT_FALSE(of_await.IsReady());
  const std::string bytes(2 * sizeof(float), '\0');
  ASSERT_TRUE(session_->AppendUpload(2, 0, bytes).ok());
  ASSERT_TRUE(session_->FinishUpload(2).ok());
  EXPECT_EQ(*of_await.Await(), absl::StatusCode::kOk);
  EXPECT_EQ(*of_fetch.Await(), absl::StatusCode::kOk);
}

TEST_F(CancelExecutionTest, ANameAndWhatReadsItHoldAnExecution) {
  const std::shared_ptr<Session> other = *engine_->OpenSession({.client_name = "y"});
  ASSERT_TRUE(session_->BeginUpload(2, testing::F32({2}), 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {2}, {3}, 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {2}, {4}, 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {4}, {5}, 0).ok());
  ASSERT_TRUE(session_->Publish(3, "weights", {}).ok());
  session_->Release({3, 4});
  const std::string bytes(2 * sizeof(float), '\0');
  ASSERT_TRUE(session_->AppendUpload(2, 0, bytes).ok());
  ASSERT_TRUE(session_->FinishUpload(2).ok());
  ASSERT_TRUE(other->OpenNamed(1, "weights").ok());
  EXPECT_THAT(FetchFloats(*other, 1), ElementsAre(1, 1));
  EXPECT_THAT(FetchFloats(*session_, 5), ElementsAre(2, 2));
}

TEST_F(CancelExecutionTest, AnArgumentThatWasDonatedInVainIsItsHandlesAgain) {
  Promise<Unit> gate;
  compiler_.may_end = gate.future();
  const std::vector<uint32_t> first = {0};
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {2}, 0, {.donated = first}).ok());
  EXPECT_EQ(FetchResultOf(*session_, 1).array.status().code(),
            absl::StatusCode::kFailedPrecondition);
  session_->Release({2});
  EXPECT_TRUE(Eventually([&] { return session_->queued() == 0; }));
  EXPECT_THAT(FetchFloats(*session_, 1), ElementsAre(1, 2));
  gate.Set(Unit{});
}

TEST_F(CancelExecutionTest, AHigherPriorityGoesPastLowerOnesOfTheSameSession) {
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {2}, 0).ok());
  ASSERT_TRUE(Await(*session_, 2).status.ok());
  // A result is told a moment before its execution leaves the queue.
  ASSERT_TRUE(Eventually([&] { return session_->queued() == 0; }));
  ASSERT_TRUE(session_->BeginUpload(3, testing::F32({2}), 0).ok());
  std::atomic<int> ended{0}, ended_before{0};
  Promise<Unit> promise;
  const Event done = promise.future();
  for (Handle i = 10; i < 40; ++i) {
    ASSERT_TRUE(session_->Execute(kAddOne, {3}, {i}, 0, {.priority = Priority::kBatch}).ok());
    session_->Await(i, [&](const ReadyResult&) { ended.fetch_add(1); });
  }
  ASSERT_TRUE(session_->Execute(kAddOne, {3}, {4}, 0, {.priority = Priority::kInteractive}).ok());
  session_->Await(4, [&](const ReadyResult&) {
    ended_before.store(ended.load());
    promise.Set(Unit{});
  });
  EXPECT_EQ(session_->queued(), 31);
  const std::string bytes(2 * sizeof(float), '\0');
  ASSERT_TRUE(session_->AppendUpload(3, 0, bytes).ok());
  ASSERT_TRUE(session_->FinishUpload(3).ok());
  (void)done.Await();
  EXPECT_LE(ended_before.load(), 2);
  for (Handle i = 10; i < 40; ++i) EXPECT_TRUE(Await(*session_, i).status.ok());
}

TEST_F(CancelExecutionTest, FinalArraysStayAsTheyAre) {
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {2}, 0).ok());
  ASSERT_TRUE(Await(*session_, 2).status.ok());
  session_->Cancel({1, 2}, kReason);
  EXPECT_THAT(FetchFloats(*session_, 1), ElementsAre(1, 2));
  EXPECT_THAT(FetchFloats(*session_, 2), ElementsAre(2, 3));
}

TEST_F(CancelExecutionTest, CancelEndsAnUploadThatIsStillComing) {
  ASSERT_TRUE(session_->BeginUpload(2, testing::F32({2}), 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {2}, {3}, 0).ok());
  session_->Cancel({2}, absl::OkStatus());
  EXPECT_EQ(Await(*session_, 2).status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Await(*session_, 3).status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(session_->FinishUpload(2).code(), absl::StatusCode::kNotFound);
}

TEST_F(CancelExecutionTest, ADeadlineThatIsPastFailsTheExecutionBeforeItRuns) {
  ASSERT_TRUE(
      session_->Execute(kAddOne, {1}, {2}, 0, {.deadline = std::chrono::steady_clock::now()}).ok());
  const absl::Status status = Await(*session_, 2).status;
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("program add_one: it was not done"));
}

TEST_F(CancelExecutionTest, ADeadlineEndsWhatRunsAndWhatWaits) {
  const ExecuteOptions soon{.deadline =
                                std::chrono::steady_clock::now() + std::chrono::milliseconds(20)};
  ASSERT_TRUE(session_->BeginUpload(2, testing::F32({2}), 0).ok());
  ASSERT_TRUE(session_->Execute(kSpin, {}, {3}, 0, soon).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {2}, {4}, 0, soon).ok());
  EXPECT_EQ(Await(*session_, 3).status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Await(*session_, 4).status.code(), absl::StatusCode::kDeadlineExceeded);
  session_->Close("the test is over");
  EXPECT_TRUE(Eventually([&] { return engine_->Stats().arrays == 0; }));
}

TEST_F(CancelExecutionTest, ADeadlineThatIsKeptChangesNothing) {
  const ExecuteOptions later{.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1)};
  for (Handle i = 2; i < 1000; ++i) {
    ASSERT_TRUE(session_->Execute(kAddOne, {i - 1}, {i}, 0, later).ok());
  }
  EXPECT_THAT(FetchFloats(*session_, 999), ElementsAre(999, 1000));
}

TEST(DeadlineLimit, OneTooManyIsRefusedByItself) {
  FakeCompiler compiler;
  testing::FakeEngineOptions options;
  options.engine.max_deadlines = 1;
  const std::unique_ptr<Engine> engine = MakeFakeEngine(compiler, options);
  const std::shared_ptr<Session> session = *engine->OpenSession({.client_name = "x"});
  ASSERT_TRUE(session->RegisterProgram(kAddOne, ModuleNamed("add_one"), "main").ok());
  ASSERT_TRUE(session->BeginUpload(1, testing::F32({2}), 0).ok());
  const ExecuteOptions later{.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1)};
  ASSERT_TRUE(session->Execute(kAddOne, {1}, {2}, 0, later).ok());
  ASSERT_TRUE(session->Execute(kAddOne, {1}, {3}, 0, later).ok());
  const absl::Status refused = Await(*session, 3).status;
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("all of 1 executions"));
  ASSERT_TRUE(session->AppendUpload(1, 0, Floats({1, 2}).bytes()).ok());
  ASSERT_TRUE(session->FinishUpload(1).ok());
  EXPECT_THAT(FetchFloats(*session, 2), ElementsAre(2, 3));
}

}  // namespace
}  // namespace acceld::engine
