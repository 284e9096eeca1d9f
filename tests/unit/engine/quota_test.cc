#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/engine/cache/compile_budget.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

// What one identity may use, over all its sessions.
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

constexpr size_t kElements = 1024;
constexpr int64_t kBytes = kElements * sizeof(float);

std::vector<float> All(float value) { return std::vector<float>(kElements, value); }

Quotas AnnMayUse(QuotaId id, int64_t limit) {
  Quotas quotas;
  quotas.by_identity["ann"][static_cast<size_t>(id)] = limit;
  return quotas;
}

class QuotaTest : public ::testing::Test {
 protected:
  void Start(Quotas quotas, int64_t memory_bytes = int64_t{64} << 20) {
    engine_ = MakeFakeEngine(compiler_, {.engine = {.host_memory_bytes = 1 << 20,
                                                    .compile_threads = 2,
                                                    .quotas = std::move(quotas)},
                                         .memory_bytes = memory_bytes});
  }
  std::shared_ptr<Session> Open(const std::string& identity) {
    return *engine_->OpenSession({.client_name = "test", .identity = {identity}});
  }
  absl::Status PutAll(Session& session, Handle handle, float value = 0) {
    ACCELD_RETURN_IF_ERROR(session.Put(handle, Floats(All(value)), 0));
    return Await(session, handle).status;
  }
  // What ann uses.
  int64_t Used(QuotaId id) {
    for (const IdentityInfo& info : engine_->Identities()) {
      if (info.identity == "ann") return info.quotas[static_cast<size_t>(id)].used;
    }
    return 0;
  }
  static void ExpectRefused(const absl::Status& status, const std::string& message) {
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }

  FakeCompiler compiler_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(QuotaTest, DeviceMemory) {
  Start(AnnMayUse(QuotaId::kDeviceMemory, 2 * kBytes));
  const auto a = Open("ann"), b = Open("ann"), other = Open("bob");
  EXPECT_TRUE(PutAll(*a, 1).ok());
  EXPECT_TRUE(PutAll(*b, 1).ok());
  ExpectRefused(PutAll(*b, 2),
                "quota of ann: device-memory: 4096 bytes do not fit, 8192 of 8192 are in use");
  EXPECT_TRUE(PutAll(*other, 1).ok());
  // Only the request fails: the session goes on.
  a->Release({1});
  EXPECT_TRUE(PutAll(*b, 3).ok());
}

TEST_F(QuotaTest, HostMemoryOfUnfinishedUploads) {
  Start(AnnMayUse(QuotaId::kHostMemory, kBytes));
  const auto a = Open("ann"), b = Open("ann");
  const std::string bytes(kBytes, 'x');
  const ir::TensorType type = testing::F32({static_cast<int64_t>(kElements)});
  ASSERT_TRUE(a->BeginUpload(1, type, 0).ok());
  ASSERT_TRUE(a->AppendUpload(1, 0, absl::string_view(bytes).substr(0, 4)).ok());
  ASSERT_TRUE(b->BeginUpload(1, type, 0).ok());
  const std::string refusal =
      "quota of ann: host-memory: 4096 bytes do not fit, 4096 of 4096 are in use";
  ExpectRefused(b->AppendUpload(1, 0, bytes), refusal);
  ExpectRefused(Await(*b, 1).status, refusal);
  ASSERT_TRUE(a->AppendUpload(1, 4, absl::string_view(bytes).substr(4)).ok());
  ASSERT_TRUE(a->FinishUpload(1).ok());
  EXPECT_TRUE(Await(*a, 1).status.ok());
  EXPECT_TRUE(Eventually([&] { return Used(QuotaId::kHostMemory) == 0; }));
}

TEST_F(QuotaTest, HostMemoryOfSpilledArrays) {
  Start(AnnMayUse(QuotaId::kHostMemory, kBytes), /*memory_bytes=*/2 * kBytes);
  const auto ann = Open("ann");
  for (Handle handle = 1; handle <= 3; ++handle) EXPECT_TRUE(PutAll(*ann, handle).ok());
  EXPECT_EQ(Used(QuotaId::kHostMemory), kBytes);
  // No more of ann's arrays give way.
  ExpectRefused(PutAll(*ann, 4), "4096 bytes do not fit, 8192 of 8192 are in use on device 0");
  ann->Release({1});
  EXPECT_EQ(Used(QuotaId::kHostMemory), 0);
  EXPECT_TRUE(PutAll(*ann, 5).ok());
}

TEST_F(QuotaTest, Handles) {
  Start(AnnMayUse(QuotaId::kHandles, 3));
  const auto a = Open("ann"), b = Open("ann"), other = Open("bob");
  EXPECT_TRUE(PutAll(*a, 1).ok());
  EXPECT_TRUE(PutAll(*a, 2).ok());
  EXPECT_TRUE(PutAll(*b, 1).ok());
  ExpectRefused(PutAll(*b, 2), "quota of ann: handles: 1 do not fit, 3 of 3 are in use");
  EXPECT_TRUE(PutAll(*other, 2).ok());
  a->Close("the test says so");
  EXPECT_EQ(Used(QuotaId::kHandles), 1);
  EXPECT_TRUE(PutAll(*b, 2).ok());
  b->Release({1, 2, 77});
  EXPECT_EQ(Used(QuotaId::kHandles), 0);
}

TEST_F(QuotaTest, Sessions) {
  Start(AnnMayUse(QuotaId::kSessions, 1));
  const auto first = Open("ann");
  const auto refused = engine_->OpenSession({.identity = {"ann"}});
  ExpectRefused(refused.status(), "quota of ann: sessions: 1 do not fit, 1 of 1 are in use");
  EXPECT_TRUE(engine_->OpenSession({.identity = {"bob"}}).ok());
  first->Close("the test says so");
  EXPECT_TRUE(engine_->OpenSession({.identity = {"ann"}}).ok());
}

TEST_F(QuotaTest, QueuedWork) {
  Start(AnnMayUse(QuotaId::kQueued, 2));
  const auto a = Open("ann"), b = Open("ann");
  Promise<Unit> promise;
  compiler_.may_end = promise.future();
  ASSERT_TRUE(a->RegisterProgram(1, ModuleNamed("zeros"), "main").ok());
  ASSERT_TRUE(b->RegisterProgram(1, ModuleNamed("zeros"), "main").ok());
  EXPECT_TRUE(a->Execute(1, {}, std::vector<Handle>{1}, 0).ok());
  EXPECT_TRUE(b->Execute(1, {}, std::vector<Handle>{1}, 0).ok());
  ExpectRefused(b->Execute(1, {}, std::vector<Handle>{2}, 0),
                "quota of ann: queued: 1 do not fit, 2 of 2 are in use");
  ExpectRefused(a->Put(2, Floats({1}), 0), "quota of ann: queued: 1 do not fit");
  promise.Set(Unit{});
  EXPECT_THAT(FetchFloats(*b, 1), ElementsAre(0, 0, 0, 0));
  EXPECT_TRUE(Eventually([&] { return Used(QuotaId::kQueued) == 0; }));
  EXPECT_TRUE(b->Execute(1, {}, std::vector<Handle>{2}, 0).ok());
}

TEST_F(QuotaTest, CompileTime) {
  Start(AnnMayUse(QuotaId::kCompileTime, 1));
  const auto ann = Open("ann"), bob = Open("bob");
  for (const auto& session : {ann, bob}) {
    ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("zeros"), "main").ok());
    ASSERT_TRUE(session->RegisterProgram(2, ModuleNamed("add_one"), "main").ok());
  }
  Promise<Unit> promise;
  compiler_.may_end = promise.future();
  ASSERT_TRUE(ann->Execute(1, {}, std::vector<Handle>{1}, 0).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  promise.Set(Unit{});
  EXPECT_TRUE(Await(*ann, 1).status.ok());
  EXPECT_GE(Used(QuotaId::kCompileTime), 1);
  // What is compiled goes on, what is not is refused: as the value of its results.
  ASSERT_TRUE(ann->Execute(2, std::vector<Handle>{1}, std::vector<Handle>{2}, 0).ok());
  const absl::Status refused = Await(*ann, 2).status;
  ExpectRefused(refused, "program add_one: quota of ann: compile-time: one more compile does not");
  EXPECT_THAT(std::string(refused.message()), HasSubstr(" of 1 ms a minute are spent"));
  EXPECT_TRUE(ann->Execute(1, {}, std::vector<Handle>{3}, 0).ok());
  EXPECT_TRUE(Await(*ann, 3).status.ok());
  // Others pay for themselves, and what they have compiled is there for all.
  ASSERT_TRUE(bob->Execute(1, {}, std::vector<Handle>{1}, 0).ok());
  ASSERT_TRUE(bob->Execute(2, std::vector<Handle>{1}, std::vector<Handle>{2}, 0).ok());
  EXPECT_TRUE(Await(*bob, 2).status.ok());
  ASSERT_TRUE(ann->Execute(2, std::vector<Handle>{1}, std::vector<Handle>{4}, 0).ok());
  EXPECT_TRUE(Await(*ann, 4).status.ok());
}

TEST_F(QuotaTest, CompileTimeOfPartitioning) {
  Start(AnnMayUse(QuotaId::kCompileTime, 1));
  const auto ann = Open("ann");
  ASSERT_TRUE(ann->RegisterProgram(1, testing::ModuleForProcesses("total", 2), "main").ok());
  const auto partition = [&](std::vector<ir::TensorType> arguments) {
    CompileResult answer;
    EXPECT_TRUE(ann->Compile(1, std::move(arguments), 0, {.partition = true},
                             [&](CompileResult result) { answer = std::move(result); })
                    .ok());
    return answer;
  };
  EXPECT_THAT(std::string(partition({{ir::DType::kF32, {2}}}).status.message()),
              HasSubstr("1 argument types are given"));
  Promise<Unit> promise;
  compiler_.may_end = promise.future();
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    promise.Set(Unit{});
  });
  const CompileResult first = partition({});
  later.join();
  ASSERT_TRUE(first.status.ok()) << first.status;
  EXPECT_TRUE(first.partitioned.has_value());
  EXPECT_NE(first.signature, nullptr);
  EXPECT_GE(Used(QuotaId::kCompileTime), 1);
  ExpectRefused(partition({}).status, "quota of ann: compile-time: one more compile does not");
}

TEST_F(QuotaTest, WhatIsJustRefusedToOneIsCompiledForAnotherThatWaitsForTheSame) {
  Start(AnnMayUse(QuotaId::kCompileTime, 1));
  const auto ann = Open("ann"), bob = Open("bob");
  for (const auto& session : {ann, bob}) {
    ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("zeros"), "main").ok());
    ASSERT_TRUE(session->RegisterProgram(2, ModuleNamed("add_one"), "main").ok());
    ASSERT_TRUE(session->Put(1, Floats({1}), 0).ok());
  }
  Promise<Unit> promise;
  compiler_.may_end = promise.future();
  // Both compile threads are busy with ann's, which spend all that ann has.
  ASSERT_TRUE(ann->RegisterProgram(3, ModuleNamed("spin"), "main").ok());
  ASSERT_TRUE(ann->Execute(1, {}, std::vector<Handle>{2}, 0).ok());
  (void)ann->Compile(3, {}, 0, {}, [](CompileResult) {});
  ASSERT_TRUE(testing::Eventually([&] { return compiler_.compiles == 2; }));
  ASSERT_TRUE(ann->Execute(2, std::vector<Handle>{1}, std::vector<Handle>{3}, 0).ok());
  ASSERT_TRUE(bob->Execute(2, std::vector<Handle>{1}, std::vector<Handle>{3}, 0).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  promise.Set(Unit{});
  EXPECT_EQ(Await(*ann, 3).status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(FetchFloats(*bob, 3), ElementsAre(2));
}

TEST_F(QuotaTest, NewQuotasHoldForWhatIsAskedFromThenOn) {
  Quotas quotas;
  quotas.others[static_cast<size_t>(QuotaId::kHandles)] = 1;
  Start(quotas);
  const auto ann = Open("ann");
  EXPECT_TRUE(PutAll(*ann, 1).ok());
  EXPECT_FALSE(PutAll(*ann, 2).ok());
  engine_->SetQuotas(AnnMayUse(QuotaId::kHandles, 2));
  EXPECT_TRUE(PutAll(*ann, 2).ok());
  EXPECT_FALSE(PutAll(*ann, 3).ok());
  engine_->SetQuotas({});
  EXPECT_TRUE(PutAll(*ann, 3).ok());
  engine_->SetQuotas(quotas);
  EXPECT_FALSE(PutAll(*ann, 4).ok());
  EXPECT_THAT(FetchFloats(*ann, 3), ::testing::SizeIs(kElements));
}

TEST_F(QuotaTest, WhatManySessionsUseAtOnceIsAllGivenBack) {
  Quotas quotas;
  quotas.by_identity["ann"] = {4 * kBytes, 8 * kBytes, 10, 3, 6, 60'000};
  Start(quotas, /*memory_bytes=*/6 * kBytes);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int round = 0; round < 30; ++round) {
        const auto session = engine_->OpenSession({.identity = {"ann"}});
        if (!session.ok()) continue;
        (void)(*session)->RegisterProgram(1, ModuleNamed("add_one"), "main");
        for (Handle handle = 1; handle < 12; ++handle) {
          if (handle % 3 == 0) {
            (void)(*session)->Execute(1, std::vector<Handle>{handle - 1},
                                      std::vector<Handle>{handle}, 0);
          } else {
            (void)(*session)->Put(handle, Floats(All(1)), 0);
          }
        }
        (void)Await(**session, 3);
        (*session)->Release({1, 2});
        (*session)->Close("the test says so");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const QuotaInfo& info : QuotaInfos()) {
    if (info.id == QuotaId::kCompileTime) continue;
    EXPECT_TRUE(Eventually([&] { return Used(info.id) == 0; }))
        << info.name << " " << Used(info.id);
  }
}

TEST(CompileBudgetTest, FillsByItsLimitInAMinuteAndHoldsNoMore) {
  CompileBudget budget;
  const auto start = std::chrono::steady_clock::now();
  budget.SetLimit(60'000);
  EXPECT_TRUE(budget.IsOpen(start));
  budget.Spend(std::chrono::seconds(90), start);
  EXPECT_FALSE(budget.IsOpen(start + std::chrono::seconds(29)));
  EXPECT_TRUE(budget.IsOpen(start + std::chrono::seconds(31)));
  EXPECT_EQ(budget.SpentMs(start + std::chrono::hours(1)), 0);
  budget.Spend(std::chrono::seconds(61), start + std::chrono::hours(1));
  EXPECT_FALSE(budget.IsOpen(start + std::chrono::hours(1)));
  budget.SetLimit(0);
  EXPECT_TRUE(budget.IsOpen(start + std::chrono::hours(1)));
}

}  // namespace
}  // namespace acceld::engine
