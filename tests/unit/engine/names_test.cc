#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/engine/engine.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

namespace acceld::engine {
namespace {

using ::acceld::testing::Await;
using ::acceld::testing::FakeCompiler;
using ::acceld::testing::FakeEngineOptions;
using ::acceld::testing::FetchFloats;
using ::acceld::testing::Floats;
using ::acceld::testing::MakeFakeEngine;
using ::acceld::testing::ModuleNamed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NamesTest : public ::testing::Test {
 protected:
  std::shared_ptr<Session> Open(const std::string& identity, Role role = Role::kUser) {
    return *engine_->OpenSession({.client_name = "test", .identity = {identity, role}});
  }
  // A session of `identity` that has named the array {1, 2} and ended.
  void PublishAndLeave(const std::string& identity, Role role, const PublishOptions& options) {
    const auto session = Open(identity, role);
    ASSERT_TRUE(session->Put(1, Floats({1, 2}), 0).ok());
    ASSERT_TRUE(Await(*session, 1).status.ok());
    ASSERT_TRUE(session->Publish(1, "weights", options).ok());
    session->Close("the test says so");
  }

  FakeCompiler compiler_;
  FakeEngineOptions options_;
  std::unique_ptr<Engine> engine_ = MakeFakeEngine(compiler_, options_);
};

TEST_F(NamesTest, ANameKeepsItsArrayWhenItsSessionHasEnded) {
  PublishAndLeave("alice", Role::kUser, {});
  EXPECT_EQ(engine_->Stats().arrays, 1u);
  const auto session = Open("alice");
  const absl::StatusOr<ArrayInfo> opened = session->OpenNamed(5, "weights");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->type.ToString(), "tensor<2xf32>");
  ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("add_one"), "main").ok());
  ASSERT_TRUE(session->Execute(1, {5}, {6}, 0).ok());
  EXPECT_THAT(FetchFloats(*session, 6), ElementsAre(2, 3));
  EXPECT_TRUE(session->DropName("weights").ok());
  EXPECT_THAT(FetchFloats(*session, 5), ElementsAre(1, 2));
  session->Close("the test says so");
  EXPECT_TRUE(testing::Eventually([&] { return engine_->Stats().arrays == 0; }));
}

TEST_F(NamesTest, ANameIsItsIdentitysOwn) {
  PublishAndLeave("alice", Role::kUser, {});
  const auto mallory = Open("mallory", Role::kPublisher);
  EXPECT_TRUE(engine_->NamedArrays({.name = "mallory"}).empty());
  EXPECT_EQ(engine_->NamedArrays({.name = "alice"}).size(), 1u);
  EXPECT_TRUE(Open("root", Role::kAdmin)->OpenNamed(1, "weights").ok());
  // Word for word as of one that nobody has.
  for (const char* name : {"weights", "nothing"}) {
    const std::string told = absl::StrCat("no array is named '", name, "'");
    EXPECT_EQ(mallory->OpenNamed(1, name).status(), absl::NotFoundError(told));
    EXPECT_EQ(mallory->DropName(name), absl::NotFoundError(told));
    ASSERT_TRUE(mallory->Put(2, Floats({3}), 0).ok());
    EXPECT_TRUE(mallory->Publish(2, name, {.replace = true}).ok());
    ASSERT_TRUE(mallory->OpenNamed(3, name).ok());
    EXPECT_THAT(FetchFloats(*mallory, 3), ElementsAre(3));
    mallory->Release({2, 3});
  }
  // Each has its own.
  const auto alice = Open("alice");
  ASSERT_TRUE(alice->OpenNamed(1, "weights").ok());
  EXPECT_THAT(FetchFloats(*alice, 1), ElementsAre(1, 2));
  EXPECT_TRUE(absl::IsFailedPrecondition(Open("root", Role::kAdmin)->DropName("weights")));
  EXPECT_TRUE(mallory->DropName("weights").ok());
  EXPECT_TRUE(Open("root", Role::kAdmin)->DropName("weights").ok());
}

TEST_F(NamesTest, ANameForEveryoneHidesNobodysOwn) {
  PublishAndLeave("alice", Role::kUser, {});
  const auto pia = Open("pia", Role::kPublisher), bob = Open("bob"), alice = Open("alice");
  ASSERT_TRUE(pia->Put(1, Floats({7}), 0).ok());
  ASSERT_TRUE(pia->Publish(1, "weights", {.for_everyone = true}).ok());
  ASSERT_TRUE(alice->OpenNamed(1, "weights").ok());
  ASSERT_TRUE(bob->OpenNamed(1, "weights").ok());
  EXPECT_THAT(FetchFloats(*alice, 1), ElementsAre(1, 2));
  EXPECT_THAT(FetchFloats(*bob, 1), ElementsAre(7));
  const absl::Status refused = bob->Publish(1, "weights", {.replace = true});
  EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("belongs to pia, not to bob"));
  EXPECT_TRUE(absl::IsPermissionDenied(bob->DropName("weights")));
  const auto root = Open("root", Role::kAdmin);
  ASSERT_TRUE(root->Put(1, Floats({8}), 0).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(root->Publish(1, "weights", {.for_everyone = true})));
  EXPECT_TRUE(root->Publish(1, "weights", {.for_everyone = true, .replace = true}).ok());
  ASSERT_TRUE(pia->OpenNamed(2, "weights").ok());
  EXPECT_THAT(FetchFloats(*pia, 2), ElementsAre(8));
  EXPECT_TRUE(alice->OpenNamed(1, "weights").ok());
}

TEST_F(NamesTest, OnlyPublishersNameArraysForEveryone) {
  const auto user = Open("bob");
  ASSERT_TRUE(user->Put(1, Floats({1}), 0).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(user->Publish(1, "mine", {.for_everyone = true})));
  PublishAndLeave("alice", Role::kPublisher, {.for_everyone = true});
  EXPECT_TRUE(user->OpenNamed(2, "weights").ok());
  EXPECT_TRUE(absl::IsPermissionDenied(user->DropName("weights")));
}

TEST_F(NamesTest, ANameIsTakenFromAnArrayOnlyOnRequest) {
  const auto session = Open("alice");
  ASSERT_TRUE(session->Put(1, Floats({1}), 0).ok());
  ASSERT_TRUE(session->Put(2, Floats({2}), 0).ok());
  ASSERT_TRUE(session->Publish(1, "x", {}).ok());
  EXPECT_TRUE(session->Publish(1, "x", {}).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(session->Publish(2, "x", {})));
  ASSERT_TRUE(session->Publish(2, "x", {.replace = true}).ok());
  ASSERT_TRUE(session->OpenNamed(3, "x").ok());
  EXPECT_THAT(FetchFloats(*session, 3), ElementsAre(2));
  EXPECT_TRUE(session->OpenNamed(3, "x").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(session->OpenNamed(1, "x").status()));
}

TEST_F(NamesTest, AnErrorIsNamedLikeAValue) {
  const auto session = Open("alice");
  ASSERT_TRUE(session->BeginUpload(1, testing::F32({2}), 0).ok());
  ASSERT_TRUE(session->Publish(1, "late", {}).ok());
  ASSERT_TRUE(session->OpenNamed(2, "late").ok());
  session->AbortUpload(1, absl::UnavailableError("the stream broke"));
  EXPECT_EQ(Await(*session, 2).status.message(), "the stream broke");
}

TEST_F(NamesTest, WrongNamesAreRefused) {
  const auto session = Open("alice");
  ASSERT_TRUE(session->Put(1, Floats({1}), 0).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(session->Publish(1, "", {})));
  EXPECT_TRUE(absl::IsInvalidArgument(session->Publish(1, "a b", {})));
  EXPECT_TRUE(absl::IsInvalidArgument(session->Publish(1, std::string(257, 'x'), {})));
  EXPECT_TRUE(absl::IsNotFound(session->Publish(9, "x", {})));
  EXPECT_TRUE(absl::IsNotFound(session->OpenNamed(2, "nothing").status()));
  EXPECT_TRUE(absl::IsNotFound(session->DropName("nothing")));
}

TEST_F(NamesTest, TheNumberOfNamesIsBounded) {
  options_.engine.max_named_arrays = 1;
  engine_ = MakeFakeEngine(compiler_, options_);
  const auto session = Open("alice");
  ASSERT_TRUE(session->Put(1, Floats({1}), 0).ok());
  ASSERT_TRUE(session->Publish(1, "a", {}).ok());
  const absl::Status full = session->Publish(1, "b", {});
  EXPECT_TRUE(absl::IsResourceExhausted(full));
  EXPECT_THAT(std::string(full.message()), HasSubstr("1 of 1 names are in use"));
}

}  // namespace
}  // namespace acceld::engine
