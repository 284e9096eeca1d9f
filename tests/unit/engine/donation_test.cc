#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/engine/engine.h"
#include "server/engine/metrics.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

// Arguments that are given away.
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

constexpr ProgramId kAddOne = 1, kAdd = 2, kBad = 3, kFail = 4;
const std::vector<uint32_t> kFirst = {0}, kSecond = {1}, kBoth = {0, 1};

class EngineDonationTest : public ::testing::Test {
 protected:
  EngineDonationTest()
      : engine_(MakeFakeEngine(compiler_)), session_(*engine_->OpenSession({.client_name = "x"})) {
    EXPECT_TRUE(session_->RegisterProgram(kAddOne, ModuleNamed("add_one"), "main").ok());
    EXPECT_TRUE(session_->RegisterProgram(kAdd, ModuleNamed("add"), "main").ok());
    EXPECT_TRUE(session_->RegisterProgram(kBad, ModuleNamed("bad"), "main").ok());
    EXPECT_TRUE(session_->RegisterProgram(kFail, ModuleNamed("fail"), "main").ok());
    EXPECT_TRUE(session_->Put(1, Floats({1, 2}), 0).ok());
    EXPECT_TRUE(session_->Put(2, Floats({3, 4}), 0).ok());
    EXPECT_TRUE(Await(*session_, 1).status.ok());
    EXPECT_TRUE(Await(*session_, 2).status.ok());
  }
  uint64_t DonatedBytes() const { return engine_->Metrics().devices[0].donated_bytes; }
  void ExpectGone(Handle handle, const std::string& program) {
    const absl::Status status = Await(*session_, handle).status;
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("was donated to program " + program));
  }

  FakeCompiler compiler_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<Session> session_;
};

TEST_F(EngineDonationTest, ADonatedArrayBecomesTheResult) {
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {5}, 0, {.donated = kFirst}).ok());
  EXPECT_THAT(FetchFloats(*session_, 5), ElementsAre(2, 3));
  EXPECT_EQ(DonatedBytes(), 8u);
  ExpectGone(1, "add_one");
}

TEST_F(EngineDonationTest, EveryLaterUseFailsAndSaysWhy) {
  ASSERT_TRUE(session_->Execute(kAdd, {1, 2}, {5}, 0, {.donated = kSecond}).ok());
  ExpectGone(2, "add");
  EXPECT_TRUE(absl::IsFailedPrecondition(FetchResultOf(*session_, 2).array.status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(session_->Publish(2, "two", {})));
  ASSERT_TRUE(session_->Execute(kAddOne, {2}, {6}, 0).ok());
  EXPECT_THAT(std::string(Await(*session_, 6).status.message()),
              HasSubstr("program add_one: the array of handle 2 was donated to program add"));
  session_->Release({2});
  EXPECT_TRUE(absl::IsNotFound(Await(*session_, 2).status));
  EXPECT_THAT(FetchFloats(*session_, 1), ElementsAre(1, 2));
}

TEST_F(EngineDonationTest, WrongListsAreRefusedAndTakeNothing) {
  const std::vector<uint32_t> none_such = {2}, twice = {0, 0};
  for (const auto& [inputs, donated] :
       std::vector<std::pair<std::vector<Handle>, std::vector<uint32_t>>>{
           {{1, 2}, none_such}, {{1, 2}, twice}, {{1, 1}, kFirst}, {{1, 1}, kBoth}}) {
    EXPECT_TRUE(
        absl::IsInvalidArgument(session_->Execute(kAdd, inputs, {5}, 0, {.donated = donated})));
  }
  EXPECT_THAT(FetchFloats(*session_, 1), ElementsAre(1, 2));
}

TEST_F(EngineDonationTest, ACompileForADonatedInputThatThereIsNotIsRefused) {
  for (const uint32_t number : {0u, 1u}) {
    Promise<Unit> answered;
    const Event done = answered.future();
    absl::Status status;
    ASSERT_TRUE(session_
                    ->Compile(kAddOne, {testing::F32({2})}, 0, {.donated = {0, number}},
                              [&](const CompileResult& result) {
                                status = result.status;
                                answered.Set(Unit{});
                              })
                    .ok());
    (void)done.Await();
    EXPECT_EQ(absl::IsInvalidArgument(status), number == 1) << status;
  }
}

TEST_F(EngineDonationTest, AnExecutionThatIsPoisonedAtOnceTakesNothing) {
  ASSERT_TRUE(session_->Execute(kAdd, {1, 99}, {5}, 0, {.donated = kFirst}).ok());
  EXPECT_TRUE(absl::IsNotFound(Await(*session_, 5).status));
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {6, 7}, 0, {.donated = kFirst}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Await(*session_, 6).status));
  EXPECT_THAT(FetchFloats(*session_, 1), ElementsAre(1, 2));
}

TEST_F(EngineDonationTest, WhatFailsBeforeItStartsGivesItBack) {
  // For want of an executable, and through another input.
  ASSERT_TRUE(session_->Execute(kBad, {1}, {5}, 0, {.donated = kFirst}).ok());
  EXPECT_TRUE(absl::IsUnimplemented(Await(*session_, 5).status));
  EXPECT_THAT(FetchFloats(*session_, 1), ElementsAre(1, 2));
  ASSERT_TRUE(session_->Execute(kAdd, {1, 5}, {6}, 0, {.donated = kFirst}).ok());
  EXPECT_TRUE(absl::IsUnimplemented(Await(*session_, 6).status));
  EXPECT_THAT(FetchFloats(*session_, 1), ElementsAre(1, 2));
  // And it is whole enough to be given away again.
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {7}, 0, {.donated = kFirst}).ok());
  EXPECT_THAT(FetchFloats(*session_, 7), ElementsAre(2, 3));
  EXPECT_EQ(DonatedBytes(), 8u);
}

TEST_F(EngineDonationTest, WhatIsCancelledInTimeGivesItBack) {
  Promise<Unit> gate;
  compiler_.may_end = gate.future();
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {5}, 0, {.donated = kFirst}).ok());
  ExpectGone(1, "add_one");
  session_->Cancel({5}, absl::CancelledError("no more"));
  EXPECT_TRUE(absl::IsCancelled(Await(*session_, 5).status));
  EXPECT_THAT(FetchFloats(*session_, 1), ElementsAre(1, 2));
  gate.Set(Unit{});
}

TEST_F(EngineDonationTest, WhatFailsOnTheDeviceHasTakenIt) {
  ASSERT_TRUE(session_->Execute(kFail, {1}, {5}, 0, {.donated = kFirst}).ok());
  EXPECT_TRUE(absl::IsInternal(Await(*session_, 5).status));
  ExpectGone(1, "fail");
  session_->Release({1, 2, 5});
  EXPECT_TRUE(Eventually([&] { return engine_->Stats().arrays == 0; }));
}

TEST_F(EngineDonationTest, ANameKeepsItsArray) {
  ASSERT_TRUE(session_->Publish(1, "weights", {}).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {5}, 0, {.donated = kFirst}).ok());
  EXPECT_THAT(FetchFloats(*session_, 5), ElementsAre(2, 3));
  ExpectGone(1, "add_one");
  ASSERT_TRUE(session_->OpenNamed(6, "weights").ok());
  EXPECT_THAT(FetchFloats(*session_, 6), ElementsAre(1, 2));
  EXPECT_EQ(DonatedBytes(), 0u);
}

TEST_F(EngineDonationTest, AnExecutionThatIsStillQueuedKeepsItsArgument) {
  Promise<Unit> gate;
  compiler_.may_end = gate.future();
  ASSERT_TRUE(session_->Execute(kAdd, {1, 2}, {5}, 0).ok());
  ASSERT_TRUE(session_->Execute(kAddOne, {1}, {6}, 0, {.donated = kFirst}).ok());
  gate.Set(Unit{});
  EXPECT_THAT(FetchFloats(*session_, 5), ElementsAre(4, 6));
  EXPECT_THAT(FetchFloats(*session_, 6), ElementsAre(2, 3));
}

TEST_F(EngineDonationTest, ALongChainHasOneArray) {
  const uint64_t arrays = engine_->Stats().arrays;
  for (Handle i = 10; i < 210; ++i) {
    ASSERT_TRUE(
        session_->Execute(kAddOne, {i == 10 ? 1 : i - 1}, {i}, 0, {.donated = kFirst}).ok());
    if (i > 10) session_->Release({i - 1});
  }
  EXPECT_THAT(FetchFloats(*session_, 209), ElementsAre(201, 202));
  EXPECT_EQ(DonatedBytes(), 200u * 8);
  EXPECT_TRUE(Eventually([&] { return engine_->Stats().arrays == arrays; }));
}

TEST_F(EngineDonationTest, EqualContentOfOtherArraysStays) {
  const Digest digest = ContentDigestOf(std::string(4096, '\0'));
  const std::string zeros(4096, '\0');
  for (const Handle handle : {20, 21}) {
    ASSERT_TRUE(session_->BeginUpload(handle, testing::F32({1024}), 0).ok());
    if (absl::IsNotFound(session_->OfferContent(handle, digest))) {
      ASSERT_TRUE(session_->AppendUpload(handle, 0, zeros).ok());
      ASSERT_TRUE(session_->FinishUpload(handle).ok());
    }
    ASSERT_TRUE(Await(*session_, handle).status.ok());
  }
  ASSERT_TRUE(session_->Execute(kAddOne, {20}, {22}, 0, {.donated = kFirst}).ok());
  EXPECT_EQ(FetchFloats(*session_, 22)[0], 1);
  EXPECT_EQ(FetchFloats(*session_, 21)[0], 0);
  EXPECT_EQ(DonatedBytes(), 0u);
}

}  // namespace
}  // namespace acceld::engine
