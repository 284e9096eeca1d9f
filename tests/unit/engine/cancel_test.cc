#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

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
