#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/engine/engine.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

namespace acceld::engine {
namespace {

using ::acceld::testing::Await;
using ::acceld::testing::FakeCompiler;
using ::acceld::testing::FakeEngineOptions;
using ::acceld::testing::FetchFloats;
using ::acceld::testing::FetchResultOf;
using ::acceld::testing::Floats;
using ::acceld::testing::MakeFakeEngine;
using ::acceld::testing::ModuleNamed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class UploadTest : public ::testing::Test {
 protected:
  FakeCompiler compiler_;
  std::unique_ptr<Engine> engine_ = MakeFakeEngine(compiler_);
  std::shared_ptr<Session> session_ = *engine_->OpenSession({.client_name = "test"});
};

TEST_F(UploadTest, PiecesBecomeAnArrayThatWasUsableFromTheStart) {
  ASSERT_TRUE(session_->RegisterProgram(1, ModuleNamed("add_one"), "main").ok());
  ASSERT_TRUE(session_->BeginUpload(1, testing::F32({2}), 0).ok());
  ASSERT_TRUE(session_->Execute(1, {1}, {2}, 0).ok());
  const ir::Literal values = Floats({1, 2});
  ASSERT_TRUE(session_->AppendUpload(1, 0, values.bytes().substr(0, 3)).ok());
  ASSERT_TRUE(session_->AppendUpload(1, 3, values.bytes().substr(3)).ok());
  ASSERT_TRUE(session_->FinishUpload(1).ok());
  EXPECT_THAT(FetchFloats(*session_, 2), ElementsAre(2, 3));
}

TEST_F(UploadTest, TooManyAndTooFewBytesPoisonTheArray) {
  ASSERT_TRUE(session_->BeginUpload(1, testing::F32({2}), 0).ok());
  EXPECT_EQ(session_->AppendUpload(1, 0, "123456789").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Await(*session_, 1).status.message()), HasSubstr("9 bytes"));
  ASSERT_TRUE(session_->BeginUpload(2, testing::F32({2}), 0).ok());
  ASSERT_TRUE(session_->AppendUpload(2, 0, "1234567").ok());
  EXPECT_EQ(session_->FinishUpload(2).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Await(*session_, 2).status.message()), HasSubstr("7 of 8 bytes"));
}

TEST_F(UploadTest, PiecesThatComeAgainAreSkippedAndGapsRefused) {
  const ir::Literal values = Floats({1, 2});
  const absl::string_view bytes = values.bytes();
  ASSERT_TRUE(session_->BeginUpload(1, testing::F32({2}), 0).ok());
  ASSERT_TRUE(session_->AppendUpload(1, 0, bytes.substr(0, 5)).ok());
  ASSERT_TRUE(session_->AppendUpload(1, 0, bytes.substr(0, 3)).ok());
  EXPECT_EQ(session_->AppendUpload(1, 6, bytes.substr(6)).code(), absl::StatusCode::kOutOfRange);
  ASSERT_TRUE(session_->AppendUpload(1, 3, bytes.substr(3)).ok());
  ASSERT_TRUE(session_->FinishUpload(1).ok());
  EXPECT_THAT(FetchFloats(*session_, 1), ElementsAre(1, 2));
}

TEST_F(UploadTest, AnAbortedUploadFailsWithItsReason) {
  ASSERT_TRUE(session_->BeginUpload(1, testing::F32({2}), 0).ok());
  session_->AbortUpload(1, absl::UnavailableError("the stream broke"));
  EXPECT_EQ(Await(*session_, 1).status.message(), "the stream broke");
  EXPECT_EQ(session_->AppendUpload(1, 0, "1").code(), absl::StatusCode::kNotFound);
}

TEST_F(UploadTest, ElementsOutOfRangeAreRefused) {
  ASSERT_TRUE(session_->BeginUpload(1, {ir::DType::kI1, {2}}, 0).ok());
  EXPECT_EQ(session_->AppendUpload(1, 0, absl::string_view("\1\2", 2)).message(),
            "an element of i1 is 2");
  ASSERT_TRUE(session_->BeginUpload(2, {ir::DType::kI4, {2}}, 0).ok());
  EXPECT_TRUE(session_->AppendUpload(2, 0, "\xf8").ok());
  EXPECT_EQ(session_->AppendUpload(2, 1, "\x08").code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(UploadTest, ArraysWithoutElementsAreFine) {
  ASSERT_TRUE(session_->BeginUpload(1, testing::F32({0, 3}), 0).ok());
  ASSERT_TRUE(session_->FinishUpload(1).ok());
  EXPECT_TRUE(FetchFloats(*session_, 1).empty());
}

TEST_F(UploadTest, TypesWithoutASizeOrBeyondTheLimitPoisonTheArray) {
  ASSERT_TRUE(session_->BeginUpload(1, testing::F32({ir::kDynamicDim}), 0).ok());
  EXPECT_EQ(Await(*session_, 1).status.code(), absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(session_->BeginUpload(2, testing::F32({int64_t{1} << 40}), 0).ok());
  EXPECT_EQ(Await(*session_, 2).status.code(), absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(session_->Put(3, ir::Literal::Zeros(testing::F32({int64_t{1} << 40})), 0).ok());
  EXPECT_EQ(Await(*session_, 3).status.code(), absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(session_->BeginUpload(4, testing::F32({1}), 7).ok());
  EXPECT_EQ(Await(*session_, 4).status.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(UploadTest, WhatIsStagedIsLimited) {
  FakeEngineOptions options;
  options.engine.max_session_bytes = 1000;
  const auto engine = MakeFakeEngine(compiler_, options);
  const auto session = *engine->OpenSession({.client_name = "small"});
  ASSERT_TRUE(session->BeginUpload(1, testing::F32({200}), 0).ok());
  ASSERT_TRUE(session->BeginUpload(2, testing::F32({200}), 0).ok());
  EXPECT_TRUE(session->AppendUpload(1, 0, "1234").ok());
  EXPECT_EQ(session->AppendUpload(2, 0, "1234").code(), absl::StatusCode::kResourceExhausted);
  session->AbortUpload(1, absl::OkStatus());
  ASSERT_TRUE(session->BeginUpload(3, testing::F32({200}), 0).ok());
  EXPECT_TRUE(session->AppendUpload(3, 0, "1234").ok());
}

// Uploads a content that is announced first; gives the answer to that.
absl::Status UploadOffered(Session& session, Handle handle, const ir::Literal& values,
                           const Digest& digest) {
  EXPECT_TRUE(session.BeginUpload(handle, values.type(), 0).ok());
  const absl::Status offered = session.OfferContent(handle, digest);
  if (offered.ok()) return offered;
  EXPECT_TRUE(session.AppendUpload(handle, 0, values.bytes().substr(0, 5)).ok());
  EXPECT_TRUE(session.AppendUpload(handle, 5, values.bytes().substr(5)).ok());
  (void)session.FinishUpload(handle);
  (void)Await(session, handle);
  return offered;
}

class ContentTest : public UploadTest {
 protected:
  uint64_t UsedBytes() const { return engine_->Devices()[0].memory_used_bytes; }

  const ir::Literal values_ = ir::Literal::Filled(testing::F32({1 << 16}), 3);
  const Digest digest_ = ContentDigestOf(values_.DenseBytes());
  const ir::Literal dense_ = *ir::Literal::FromBytes(testing::F32({1 << 16}), values_.DenseBytes());
};

TEST_F(ContentTest, TheSecondTimeNothingIsSentOrStored) {
  EXPECT_TRUE(absl::IsNotFound(UploadOffered(*session_, 1, dense_, digest_)));
  const uint64_t used = UsedBytes();
  const auto other = *engine_->OpenSession({.client_name = "other"});
  EXPECT_TRUE(UploadOffered(*other, 1, dense_, digest_).ok());
  EXPECT_EQ(FetchFloats(*other, 1), std::vector<float>(1 << 16, 3));
  EXPECT_EQ(UsedBytes(), used);
  EXPECT_EQ(engine_->Metrics().deduplicated_bytes, dense_.bytes().size());
}

TEST_F(ContentTest, WhoAsksAgainHearsTheSame) {
  (void)UploadOffered(*session_, 1, dense_, digest_);
  ASSERT_TRUE(session_->BeginUpload(2, dense_.type(), 0).ok());
  EXPECT_TRUE(session_->OfferContent(2, digest_).ok());
  EXPECT_TRUE(session_->OfferContent(2, digest_).ok());
  EXPECT_TRUE(absl::IsNotFound(session_->OfferContent(99, digest_)));
}

TEST_F(ContentTest, TheBytesOutliveTheSessionThatSentThem) {
  (void)UploadOffered(*session_, 1, dense_, digest_);
  const auto other = *engine_->OpenSession({.client_name = "other"});
  ASSERT_TRUE(UploadOffered(*other, 1, dense_, digest_).ok());
  ASSERT_TRUE(Await(*other, 1).status.ok());
  session_->Close("gone");
  EXPECT_EQ(FetchFloats(*other, 1), std::vector<float>(1 << 16, 3));
}

TEST_F(ContentTest, WhatNobodyHoldsIsForgotten) {
  (void)UploadOffered(*session_, 1, dense_, digest_);
  session_->Release({1});
  ASSERT_TRUE(testing::Eventually([&] { return engine_->Stats().arrays == 0; }));
  EXPECT_TRUE(absl::IsNotFound(UploadOffered(*session_, 2, dense_, digest_)));
}

TEST_F(ContentTest, AnotherIdentityMustHaveTheBytesButSharesTheMemory) {
  (void)UploadOffered(*session_, 1, dense_, digest_);
  const uint64_t used = UsedBytes();
  const auto stranger = *engine_->OpenSession({.client_name = "x", .identity = {.name = "x"}});
  EXPECT_TRUE(absl::IsNotFound(UploadOffered(*stranger, 1, dense_, digest_)));
  EXPECT_EQ(FetchFloats(*stranger, 1), std::vector<float>(1 << 16, 3));
  EXPECT_EQ(UsedBytes(), used);
}

TEST_F(ContentTest, BytesThatAreNotWhatWasAnnouncedAreRefused) {
  const Digest wrong = ContentDigestOf("something else");
  EXPECT_TRUE(absl::IsNotFound(UploadOffered(*session_, 1, dense_, wrong)));
  const absl::Status status = Await(*session_, 1).status;
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(wrong.ToHex()));
  // And nobody is given them for that digest.
  EXPECT_TRUE(absl::IsNotFound(UploadOffered(*session_, 2, dense_, wrong)));
}

TEST_F(ContentTest, ADigestThatComesAfterTheFirstBytesCountsThem) {
  ASSERT_TRUE(session_->BeginUpload(1, dense_.type(), 0).ok());
  ASSERT_TRUE(session_->AppendUpload(1, 0, dense_.bytes().substr(0, 1000)).ok());
  EXPECT_TRUE(absl::IsNotFound(session_->OfferContent(1, digest_)));
  ASSERT_TRUE(session_->AppendUpload(1, 1000, dense_.bytes().substr(1000)).ok());
  EXPECT_TRUE(session_->FinishUpload(1).ok());
}

TEST_F(ContentTest, ADigestThatComesAmongTheBytesOrAfterThemFindsWhatIsThere) {
  (void)UploadOffered(*session_, 1, dense_, digest_);
  ASSERT_TRUE(session_->BeginUpload(2, dense_.type(), 0).ok());
  EXPECT_TRUE(session_->AppendUpload(2, 0, dense_.bytes().substr(0, 5)).ok());
  EXPECT_TRUE(session_->OfferContent(2, digest_).ok());
  EXPECT_TRUE(absl::IsNotFound(session_->AppendUpload(2, 5, dense_.bytes().substr(5))));
  EXPECT_TRUE(absl::IsNotFound(session_->FinishUpload(2)));
  EXPECT_EQ(FetchFloats(*session_, 2), std::vector<float>(1 << 16, 3));

  ASSERT_TRUE(session_->BeginUpload(3, dense_.type(), 0).ok());
  EXPECT_TRUE(session_->AppendUpload(3, 0, dense_.bytes()).ok());
  EXPECT_TRUE(session_->FinishUpload(3).ok());
  EXPECT_TRUE(session_->OfferContent(3, digest_).ok());
  EXPECT_EQ(FetchFloats(*session_, 3), std::vector<float>(1 << 16, 3));
}

TEST_F(ContentTest, AnotherTypeOfTheSameBytesIsAnotherContent) {
  (void)UploadOffered(*session_, 1, dense_, digest_);
  ASSERT_TRUE(session_->BeginUpload(2, {ir::DType::kI32, {1 << 16}}, 0).ok());
  EXPECT_TRUE(absl::IsNotFound(session_->OfferContent(2, digest_)));
}

}  // namespace
}  // namespace acceld::engine
