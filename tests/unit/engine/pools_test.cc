#include "server/engine/sharing/pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

// What all identities share: none of them takes it whole.
namespace acceld::engine {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::FakeCompiler;
using ::acceld::testing::Floats;
using ::acceld::testing::MakeFakeEngine;
using ::acceld::testing::ModuleNamed;
using ::testing::HasSubstr;

class PoolsTest : public ::testing::Test {
 protected:
  void Start(EngineOptions options) {
    options.compile_threads = 2;
    engine_ = MakeFakeEngine(compiler_, {.engine = std::move(options)});
  }
  absl::StatusOr<std::shared_ptr<Session>> Open(const std::string& identity,
                                                Role role = Role::kUser) {
    return engine_->OpenSession({.client_name = "test", .identity = {identity, role}});
  }
  // As many as it gets.
  std::vector<std::shared_ptr<Session>> OpenAll(const std::string& identity, absl::Status& refusal,
                                                Role role = Role::kUser) {
    std::vector<std::shared_ptr<Session>> sessions;
    while (true) {
      absl::StatusOr<std::shared_ptr<Session>> session = Open(identity, role);
      if (!session.ok()) {
        refusal = session.status();
        return sessions;
      }
      sessions.push_back(*std::move(session));
    }
  }
  absl::Status Publish(Session& session, const std::string& name) {
    ACCELD_RETURN_IF_ERROR(session.Put(next_, Floats({1}), 0));
    return session.Publish(next_++, name, {});
  }
  int64_t Used(const std::string& identity, QuotaId id) {
    for (const IdentityInfo& info : engine_->Identities()) {
      if (info.identity == identity) return info.quotas[static_cast<size_t>(id)].used;
    }
    return 0;
  }
  static void ExpectRefused(const absl::Status& status, const std::string& message) {
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }

  FakeCompiler compiler_;
  std::unique_ptr<Engine> engine_;
  Handle next_ = 1;
};

TEST_F(PoolsTest, AnIdentityHasAQuarterOfTheSessions) {
  Start({.max_sessions = 8});
  absl::Status refusal;
  const auto anns = OpenAll("ann", refusal);
  EXPECT_EQ(anns.size(), 2u);
  ExpectRefused(refusal,
                "quota of ann: sessions: 1 do not fit, 2 of 2 are in use (25 % of max-sessions, 8, "
                "is an identity's share)");
  const auto bobs = OpenAll("bob", refusal);
  EXPECT_EQ(bobs.size(), 2u);
  EXPECT_TRUE(Publish(*bobs[0], "x").ok());
  for (const auto& session : anns) session->Close("the test says so");
  EXPECT_EQ(Used("ann", QuotaId::kSessions), 0);
  EXPECT_EQ(OpenAll("ann", refusal).size(), 2u);
}

TEST_F(PoolsTest, TheWholeIsALimitToo) {
  Start({.max_sessions = 3, .identity_share_percent = 50});
  absl::Status refusal;
  std::vector<std::vector<std::shared_ptr<Session>>> sessions;
  for (const char* name : {"ann", "bob", "cid"}) sessions.push_back(OpenAll(name, refusal));
  EXPECT_EQ(sessions[2].size(), 1u);
  ExpectRefused(OpenAll("dot", refusal).empty() ? refusal : absl::OkStatus(),
                "3 of 3 sessions are open");
}

TEST_F(PoolsTest, OneOfEachIsEverybodys) {
  Start({.max_named_arrays = 2, .max_sessions = 3});
  const auto ann = Open("ann");
  ASSERT_TRUE(ann.ok()) << ann.status();
  EXPECT_FALSE(Open("ann").ok());
  EXPECT_TRUE(Publish(**ann, "a").ok());
  ExpectRefused(Publish(**ann, "b"), "quota of ann: named-arrays: 1 do not fit, 1 of 1");
}

TEST_F(PoolsTest, AdminsMayHaveAll) {
  Start({.max_sessions = 8});
  absl::Status refusal;
  EXPECT_EQ(OpenAll("root", refusal, Role::kAdmin).size(), 8u);
  ExpectRefused(refusal, "8 of 8 sessions are open");
}

TEST_F(PoolsTest, AQuotaStandsBeforeTheShare) {
  Quotas quotas;
  quotas.by_identity["ann"][static_cast<size_t>(QuotaId::kSessions)] = 3;
  Start({.max_sessions = 8, .quotas = quotas});
  absl::Status refusal;
  EXPECT_EQ(OpenAll("ann", refusal).size(), 3u);
  EXPECT_EQ(refusal.message(), "quota of ann: sessions: 1 do not fit, 3 of 3 are in use");
  const auto bobs = OpenAll("bob", refusal);
  EXPECT_EQ(bobs.size(), 2u);
  // Taken away again, the share is what counts.
  engine_->SetQuotas({});
  ExpectRefused(Open("ann").status(), "3 of 2 are in use (25 % of max-sessions");
}

TEST_F(PoolsTest, NamesAreTheirOwnersAlsoWhenItsSessionsHaveEnded) {
  Start({.max_named_arrays = 8});
  {
    const auto ann = *Open("ann");
    EXPECT_TRUE(Publish(*ann, "a1").ok());
    EXPECT_TRUE(Publish(*ann, "a2").ok());
    ann->Close("the test says so");
  }
  EXPECT_EQ(Used("ann", QuotaId::kNamedArrays), 2);
  const auto ann = *Open("ann"), bob = *Open("bob");
  ExpectRefused(Publish(*ann, "a3"),
                "quota of ann: named-arrays: 1 do not fit, 2 of 2 are in use (25 % of "
                "max-named-arrays, 8, is an identity's share)");
  EXPECT_TRUE(Publish(*bob, "b1").ok());
  // What is named already may get another array.
  ASSERT_TRUE(ann->Put(100, Floats({2}), 0).ok());
  EXPECT_TRUE(ann->Publish(100, "a1", {.replace = true}).ok());
  EXPECT_EQ(Used("ann", QuotaId::kNamedArrays), 2);
  EXPECT_TRUE(ann->DropName("a1").ok());
  EXPECT_TRUE(ann->DropName("a2").ok());
  EXPECT_EQ(Used("ann", QuotaId::kNamedArrays), 0);
  EXPECT_TRUE(Publish(*ann, "a3").ok());
}

TEST_F(PoolsTest, ANameThatAnAdminTakesOverIsTheAdmins) {
  Start({.max_named_arrays = 8});
  const auto ann = *Open("ann", Role::kPublisher), root = *Open("root", Role::kAdmin);
  ASSERT_TRUE(ann->Put(100, Floats({1}), 0).ok());
  ASSERT_TRUE(ann->Publish(100, "x", {.for_everyone = true}).ok());
  ASSERT_TRUE(root->Put(100, Floats({2}), 0).ok());
  EXPECT_TRUE(root->Publish(100, "x", {.for_everyone = true, .replace = true}).ok());
  EXPECT_EQ(Used("ann", QuotaId::kNamedArrays), 0);
  EXPECT_EQ(Used("root", QuotaId::kNamedArrays), 1);
}

TEST_F(PoolsTest, MemoryForIntakeIsHostMemoryOfItsIdentity) {
  Quotas quotas;
  quotas.by_identity["cid"][static_cast<size_t>(QuotaId::kHostMemory)] = 10;
  Start({.max_receive_bytes = 400, .quotas = quotas});
  const auto ann = engine_->AllowanceOf({"ann"}, QuotaId::kReceiveMemory);
  EXPECT_TRUE(ann->Take(60).ok());
  EXPECT_EQ(Used("ann", QuotaId::kReceiveMemory), 60);
  EXPECT_EQ(Used("ann", QuotaId::kHostMemory), 60);
  ExpectRefused(ann->Take(41),
                "quota of ann: intake-memory: 41 bytes do not fit, 60 of 100 are in use (25 % of "
                "max-intake-memory, 400, is an identity's share)");
  EXPECT_TRUE(engine_->AllowanceOf({"bob"}, QuotaId::kReceiveMemory)->Take(100).ok());
  const auto cid = engine_->AllowanceOf({"cid"}, QuotaId::kReceiveMemory);
  ExpectRefused(cid->Take(11), "quota of cid: host-memory: 11 bytes do not fit, 0 of 10");
  EXPECT_EQ(Used("cid", QuotaId::kReceiveMemory), 0);
  // Admins have what is left of the whole.
  const auto root = engine_->AllowanceOf({"root", Role::kAdmin}, QuotaId::kReceiveMemory);
  EXPECT_TRUE(root->Take(240).ok());
  ExpectRefused(root->Take(1), "max-intake-memory: 1 bytes do not fit, 400 of 400 are in use");
  ann->GiveBack(60);
  EXPECT_EQ(Used("ann", QuotaId::kReceiveMemory), 0);
  EXPECT_EQ(Used("ann", QuotaId::kHostMemory), 0);
}

// A program of that name with a constant of so many bytes.
ir::Module ModuleWithConstant(const std::string& name, int64_t bytes) {
  ir::Module module = ModuleNamed(name);
  ir::Op& op = module.functions[0].body.ops.emplace_back();
  const auto count = static_cast<size_t>(bytes) / sizeof(float);
  op.attributes = ir::ConstantAttributes{Floats(std::vector<float>(count, 1))};
  return module;
}

TEST_F(PoolsTest, ProgramsThatSessionsHoldCountOnceForEachIdentity) {
  constexpr int64_t kConstant = int64_t{1} << 20, kShare = kConstant + (kConstant >> 2);
  Start({.max_program_memory_bytes = 4 * kShare});
  const auto one = *Open("ann"), two = *Open("ann"), bob = *Open("bob");
  const auto used = [&] { return Used("ann", QuotaId::kProgramMemory); };
  EXPECT_TRUE(one->RegisterProgram(1, ModuleWithConstant("zeros", kConstant), "main").ok());
  const int64_t of_one = used();
  EXPECT_GE(of_one, kConstant);
  EXPECT_EQ(Used("ann", QuotaId::kHostMemory), of_one);
  EXPECT_TRUE(two->RegisterProgram(1, ModuleWithConstant("zeros", kConstant), "main").ok());
  EXPECT_TRUE(two->RegisterKnownProgram(2, DigestOf("zeros")).ok());
  // Each registration takes a little.
  EXPECT_GT(used(), of_one);
  EXPECT_LT(used(), of_one + (4 << 10));
  ExpectRefused(two->RegisterProgram(3, ModuleWithConstant("heavy", kConstant), "main"),
                "quota of ann: program-memory: ");
  EXPECT_TRUE(bob->RegisterProgram(1, ModuleWithConstant("heavy", kConstant), "main").ok());
  ExpectRefused(two->RegisterKnownProgram(3, DigestOf("heavy")).status(),
                "(25 % of max-program-memory");
  one->Close("the test says so");
  EXPECT_GE(used(), kConstant);
  two->Close("the test says so");
  EXPECT_EQ(used(), 0);
  const auto three = *Open("ann");
  EXPECT_TRUE(three->RegisterProgram(1, ModuleWithConstant("heavy", kConstant), "main").ok());
}

TEST_F(PoolsTest, ProgramsThatCannotBeReadCountWithTheirErrors) {
  Start({.max_program_memory_bytes = 40'000});
  const auto ann = *Open("ann"), bob = *Open("bob");
  const auto add = [](Session& session, ProgramId id) {
    return session.RegisterProgram(id, absl::InvalidArgumentError(std::string(2000, 'q')), "main");
  };
  ProgramId added = 0;
  while (added < 10 && add(*ann, added + 1).ok()) ++added;
  EXPECT_EQ(added, 3u);
  EXPECT_GE(Used("ann", QuotaId::kProgramMemory), 6000);
  ExpectRefused(add(*ann, 100), "quota of ann: program-memory: ");
  EXPECT_TRUE(add(*bob, 1).ok());
  ann->Close("the test says so");
  EXPECT_EQ(Used("ann", QuotaId::kProgramMemory), 0);
}

TEST_F(PoolsTest, WhatASessionRemembersOfCallsCounts) {
  Start({});
  const auto ann = *Open("ann");
  ASSERT_TRUE(ann->RegisterProgram(1, ModuleNamed("add_one"), "main").ok());
  const int64_t registered = Used("ann", QuotaId::kProgramMemory);
  for (Handle handle = 1; handle <= 1000; ++handle) {
    ASSERT_TRUE(ann->Put(handle, Floats(std::vector<float>(handle % 500 + 1)), 0).ok());
    ASSERT_TRUE(ann->Execute(1, std::vector{handle}, std::vector{handle + 10'000}, 0).ok());
  }
  const int64_t called = Used("ann", QuotaId::kProgramMemory);
  EXPECT_GT(called, registered);
  EXPECT_LT(called, registered + (64 << 10));
}

TEST_F(PoolsTest, HandlesAndQueuedWorkHaveShares) {
  Start({.max_handles = 40, .max_queued = 40});
  Promise<Unit> promise;
  compiler_.may_end = promise.future();
  const auto one = *Open("ann"), two = *Open("ann"), bob = *Open("bob");
  for (const auto& session : {one, two, bob}) {
    ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("zeros"), "main").ok());
  }
  for (Handle handle = 1; handle <= 5; ++handle) {
    EXPECT_TRUE(one->Execute(1, {}, std::vector{handle}, 0).ok());
    EXPECT_TRUE(two->Execute(1, {}, std::vector{handle}, 0).ok());
  }
  ExpectRefused(one->Execute(1, {}, std::vector<Handle>{6}, 0),
                "quota of ann: handles: 1 do not fit, 10 of 10 are in use (25 % of max-handles, "
                "40, is an identity's share)");
  // Somebody waits for the result, or the execution would go with its handle.
  one->Await(1, [](const ReadyResult&) {});
  one->Release({1});
  ExpectRefused(one->Execute(1, {}, std::vector<Handle>{6}, 0),
                "quota of ann: queued: 1 do not fit, 10 of 10 are in use (25 % of max-queued, 40");
  EXPECT_TRUE(bob->Execute(1, {}, std::vector<Handle>{1}, 0).ok());
  promise.Set(Unit{});
}

TEST_F(PoolsTest, ExecutionsOfManyArgumentsCountForTheMemoryThatTheyTake) {
  Start({.max_queued = 40});
  const auto ann = *Open("ann");
  ASSERT_TRUE(ann->RegisterProgram(1, ModuleNamed("add_one"), "main").ok());
  ASSERT_TRUE(ann->Put(1, Floats({1}), 0).ok());
  ASSERT_TRUE(testing::Await(*ann, 1).status.ok());
  EXPECT_TRUE(Eventually([&] { return Used("ann", QuotaId::kQueued) == 0; }));
  const std::vector<Handle> inputs(640, 1);
  ExpectRefused(ann->Execute(1, inputs, std::vector<Handle>{2}, 0),
                "quota of ann: queued: 11 do not fit, 0 of 10 are in use");
}

TEST_F(PoolsTest, WhatHasNoSizeHasNoShares) {
  Start({});
  const auto ann = engine_->AllowanceOf({"ann"}, QuotaId::kDescriptors);
  EXPECT_TRUE(ann->Take(1'000'000).ok());
  ann->GiveBack(1'000'000);
}

}  // namespace
}  // namespace acceld::engine
