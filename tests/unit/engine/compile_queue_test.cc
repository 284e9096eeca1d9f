// Whose programs are compiled first, and which not at all.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/engine/engine.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

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

using Answer = Future<CompileResult>;

// An engine whose compiles, once they have begun, wait until the test lets them end.
class CompileQueueTest : public ::testing::Test {
 protected:
  CompileQueueTest() { compiler_.may_end = gate_.future(); }
  ~CompileQueueTest() override { OpenGate(); }

  void Start(int threads) {
    engine_ = MakeFakeEngine(compiler_, {.engine = {.compile_threads = threads}});
  }
  void OpenGate() {
    if (!std::exchange(is_open_, true)) gate_.Set(Unit{});
  }
  std::shared_ptr<Session> Open(const std::string& identity,
                                Priority priority = Priority::kNormal) {
    return *engine_->OpenSession(
        {.client_name = "test", .identity = {identity}, .priority = priority});
  }
  // Compiles programs NAME0 to NAMEn, which the fake device does not load then.
  std::vector<Answer> Compile(Session& session, const std::string& name, int count) {
    std::vector<Answer> answers;
    for (int i = 0; i < count; ++i) {
      const ProgramId id = ++last_program_;
      EXPECT_TRUE(session.RegisterProgram(id, ModuleNamed(absl::StrCat(name, i)), "main").ok());
      auto promise = std::make_shared<Promise<CompileResult>>();
      answers.push_back(promise->future());
      EXPECT_TRUE(session
                      .Compile(id, {testing::F32({2})}, 0, {},
                               [promise](CompileResult result) { promise->Set(std::move(result)); })
                      .ok());
    }
    return answers;
  }
  static absl::Status StatusOf(const Answer& answer) { return answer.Await()->status; }
  // Executes `name` on handle 1, which is defined here; the result is handle 2.
  void Execute(Session& session, const std::string& name, const ExecuteOptions& options = {}) {
    ASSERT_TRUE(session.Put(1, Floats({1, 2}), 0).ok());
    const ProgramId id = ++last_program_;
    ASSERT_TRUE(session.RegisterProgram(id, ModuleNamed(name), "main").ok());
    ASSERT_TRUE(session.Execute(id, {1}, {2}, 0, options).ok());
  }
  bool HaveBegun(int compiles) {
    return Eventually([&] { return compiler_.compiles == compiles; });
  }
  // Where the last of the programs whose names begin so stands in the order of compiles.
  size_t LastOf(const std::string& name) {
    const std::vector<std::string> order = compiler_.Order();
    const auto found = std::find_if(order.rbegin(), order.rend(), [&](const std::string& one) {
      return one.rfind(name, 0) == 0;
    });
    return static_cast<size_t>(order.rend() - found);
  }

  FakeCompiler compiler_;
  Promise<Unit> gate_;
  bool is_open_ = false;
  ProgramId last_program_ = 0;
  std::unique_ptr<Engine> engine_;
};

TEST_F(CompileQueueTest, AFewOfOneDoNotWaitForThousandsOfAnother) {
  Start(1);
  const auto hog = Open("hog"), ann = Open("ann");
  const std::vector<Answer> many = Compile(*hog, "hog", 1000);
  EXPECT_TRUE(HaveBegun(1));
  const std::vector<Answer> few = Compile(*ann, "ann", 3);
  // One of ann's may have begun on an extra thread.
  EXPECT_GE(engine_->Stats().compiles_queued, 1001u);
  OpenGate();
  for (const Answer& answer : few) answer.Await();
  for (const Answer& answer : many) answer.Await();
  // Hers take turns with the others; one that took long, on a machine of others, is charged to her.
  EXPECT_LE(LastOf("ann"), 60u);
  EXPECT_EQ(engine_->Stats().compiles_queued, 0u);
}

TEST_F(CompileQueueTest, SessionsOfOneIdentityAreOneQueue) {
  Start(1);
  std::vector<std::shared_ptr<Session>> hogs;
  for (int i = 0; i < 20; ++i) {
    hogs.push_back(Open("hog"));
    Compile(*hogs.back(), absl::StrCat("hog", i, "_"), 20);
  }
  const auto ann = Open("ann");
  const std::vector<Answer> few = Compile(*ann, "ann", 3);
  OpenGate();
  for (const Answer& answer : few) answer.Await();
  // About every second one is hers; a compile that took long, on a machine of others, is charged to
  // her. If sessions took turns, her third one would be about the sixtieth.
  EXPECT_LE(LastOf("ann"), 30u);
}

TEST_F(CompileQueueTest, InteractiveGoesBeforeBatch) {
  Start(1);
  const auto batch = Open("ann", Priority::kBatch), live = Open("ann", Priority::kInteractive);
  const std::vector<Answer> many = Compile(*batch, "batch", 200);
  const std::vector<Answer> few = Compile(*live, "live", 20);
  OpenGate();
  for (const Answer& answer : few) answer.Await();
  // A compile that took long, on a machine of others, is charged to its class.
  EXPECT_LE(LastOf("live"), 60u);
}

TEST_F(CompileQueueTest, WhatADeadSessionHasQueuedIsNotCompiled) {
  Start(1);
  const auto hog = Open("hog");
  const std::vector<Answer> many = Compile(*hog, "hog", 300);
  EXPECT_TRUE(HaveBegun(1));
  hog->Close("its client has died");
  for (const Answer& answer : many) EXPECT_TRUE(absl::IsCancelled(StatusOf(answer)));
  EXPECT_EQ(engine_->Stats().compiles_queued, 0u);
  EXPECT_EQ(engine_->Stats().compiles_dropped, 299u);
  OpenGate();
  // What ran ends between two passes, and is no failure of the program.
  EXPECT_TRUE(Eventually([&] { return engine_->Stats().compiles_stopped == 1; }));
  EXPECT_EQ(compiler_.compiles, 1);
  EXPECT_EQ(engine_->Stats().compile_failures, 0u);
  EXPECT_TRUE(engine_->CacheEntries(0, 10).empty());
}

TEST_F(CompileQueueTest, ExecutionsThatAreCancelledAreNotCompiled) {
  Start(1);
  // Of one identity, so that none begins on an extra thread.
  const auto hog = Open("ann"), ann = Open("ann"), bob = Open("ann");
  Compile(*hog, "hog", 1);
  EXPECT_TRUE(HaveBegun(1));
  Execute(*ann, "add_one");
  EXPECT_EQ(engine_->Stats().compiles_queued, 1u);
  ann->Cancel({2}, absl::CancelledError("not needed"));
  EXPECT_EQ(Await(*ann, 2).status.message(), "not needed");
  Execute(*bob, "add_one",
          {.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(1)});
  EXPECT_TRUE(absl::IsDeadlineExceeded(Await(*bob, 2).status));
  EXPECT_TRUE(Eventually([&] { return engine_->Stats().compiles_dropped == 2; }));
  EXPECT_EQ(engine_->Stats().compiles_queued, 0u);
  OpenGate();
}

TEST_F(CompileQueueTest, WhatAnotherWaitsForTooIsCompiled) {
  Start(1);
  const auto hog = Open("hog"), ann = Open("ann"), bob = Open("bob");
  Compile(*hog, "hog", 1);
  EXPECT_TRUE(HaveBegun(1));
  Execute(*ann, "add_one");
  Execute(*bob, "add_one");
  ann->Close("it leaves");
  EXPECT_EQ(engine_->Stats().compiles_dropped, 0u);
  OpenGate();
  EXPECT_THAT(FetchFloats(*bob, 2), ElementsAre(2, 3));
}

TEST_F(CompileQueueTest, ACompileThatRunsForAnotherTooGoesOn) {
  Start(1);
  const auto ann = Open("ann"), bob = Open("bob");
  Execute(*ann, "add_one");
  EXPECT_TRUE(HaveBegun(1));
  Execute(*bob, "add_one");
  ann->Close("it leaves");
  OpenGate();
  EXPECT_THAT(FetchFloats(*bob, 2), ElementsAre(2, 3));
  EXPECT_EQ(compiler_.compiles, 1);
  EXPECT_EQ(engine_->Stats().compiles_stopped, 0u);
}

TEST_F(CompileQueueTest, WhoComesWhenACompileIsBeingStoppedGetsAFreshOne) {
  Start(2);
  const auto ann = Open("ann"), bob = Open("bob");
  Execute(*ann, "add_one");
  EXPECT_TRUE(HaveBegun(1));
  ann->Close("it leaves");
  Execute(*bob, "add_one");
  EXPECT_TRUE(HaveBegun(2));
  OpenGate();
  EXPECT_THAT(FetchFloats(*bob, 2), ElementsAre(2, 3));
  EXPECT_TRUE(Eventually([&] { return engine_->Stats().compiles_stopped == 1; }));
}

TEST_F(CompileQueueTest, OneIdentityHasHalfOfTheThreadsWhileOthersWait) {
  Start(4);
  const auto hog = Open("hog");
  Compile(*hog, "hog", 2);
  EXPECT_TRUE(HaveBegun(2));
  // Two threads wait for work, and two are the hog's share, yet nobody else wants them.
  Compile(*hog, "more", 200);
  EXPECT_TRUE(HaveBegun(4));
  const auto ann = Open("ann");
  const std::vector<Answer> few = Compile(*ann, "ann", 2);
  OpenGate();
  for (const Answer& answer : few) answer.Await();
  EXPECT_LE(LastOf("ann"), 60u);
}

}  // namespace
}  // namespace acceld::engine
