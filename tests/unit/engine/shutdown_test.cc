#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "server/engine/engine.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

namespace acceld::engine {
namespace {

using ::acceld::testing::Await;
using ::acceld::testing::Eventually;
using ::acceld::testing::FakeCompiler;
using ::acceld::testing::Floats;
using ::acceld::testing::MakeFakeEngine;
using ::acceld::testing::ModuleNamed;

// A copy or kernel that runs lets go of its arrays when it ends.
bool HoldsNothing(const Engine& engine) {
  return Eventually([&] {
    const EngineStats stats = engine.Stats();
    return stats.arrays == 0 && stats.array_bytes == 0 &&
           engine.Devices()[0].memory_used_bytes == 0;
  });
}

TEST(CloseTest, FreesEverythingAndAnswersWhatIsPending) {
  FakeCompiler compiler;
  Promise<Unit> gate;
  compiler.may_end = gate.future();
  const auto engine = MakeFakeEngine(compiler);
  const auto session = *engine->OpenSession({.client_name = "test"});
  ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("add_one"), "main").ok());
  ASSERT_TRUE(session->Put(0, Floats({1, 2}), 0).ok());
  for (Handle i = 1; i <= 100; ++i) ASSERT_TRUE(session->Execute(1, {i - 1}, {i}, 0).ok());
  ASSERT_TRUE(session->BeginUpload(500, testing::F32({100}), 0).ok());
  int cancelled = 0;
  const auto count = [&](const absl::Status& status) {
    cancelled += status.code() == absl::StatusCode::kCancelled;
  };
  session->Await(100, [&](ReadyResult result) { count(result.status); });
  session->Fetch(500, [&](FetchResult result) { count(result.array.status()); });
  ASSERT_TRUE(
      session->Compile(1, {testing::F32({4})}, 0, {}, [&](CompileResult r) { count(r.status); })
          .ok());
  // The compile has not ended, and yet nothing of the session is left.
  session->Close("the test says so");
  EXPECT_EQ(cancelled, 3);
  EXPECT_EQ(engine->Stats().sessions, 0u);
  EXPECT_TRUE(HoldsNothing(*engine));
  const absl::Status reason = absl::CancelledError("the test says so");
  EXPECT_EQ(session->Put(1, Floats({1}), 0), reason);
  EXPECT_EQ(session->RegisterProgram(2, ModuleNamed("late"), "main"), reason);
  EXPECT_EQ(session->Execute(1, {0}, {1}, 0), reason);
  EXPECT_EQ(Await(*session, 1).status, reason);
  gate.Set(Unit{});
}

TEST(CloseTest, StopsAKernelThatWouldRunForever) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = *engine->OpenSession({.client_name = "test"});
  ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("spin"), "main").ok());
  ASSERT_TRUE(session->Execute(1, {}, {1}, 0).ok());
  session->Close("the test says so");
  const auto other = *engine->OpenSession({.client_name = "other"});
  ASSERT_TRUE(other->RegisterProgram(1, ModuleNamed("zeros"), "main").ok());
  ASSERT_TRUE(other->Execute(1, {}, {1}, 0).ok());
  EXPECT_TRUE(Await(*other, 1).status.ok());
}

TEST(CloseTest, RacesWithCommandsOfOtherThreads) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  for (int round = 0; round < 20; ++round) {
    const auto session = *engine->OpenSession({.client_name = "test"});
    ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("add_one"), "main").ok());
    ASSERT_TRUE(session->Put(0, Floats({1, 2}), 0).ok());
    std::thread submitting([&] {
      for (Handle i = 1; session->Execute(1, {i - 1}, {i}, 0).ok(); ++i) {
        session->Release({i - 1});
        if (i % 10 == 0) session->Fetch(i, [](FetchResult) {});
      }
    });
    (void)Await(*session, 5);
    session->Close("the test says so");
    submitting.join();
  }
  engine->Shutdown(std::chrono::seconds(10));
  EXPECT_TRUE(HoldsNothing(*engine));
}

TEST(CloseTest, RacesWithExecutionsThatWaitForTheirExecutable) {
  FakeCompiler compiler;
  Promise<Unit> may_end;
  compiler.may_end = may_end.future();
  const auto engine = MakeFakeEngine(compiler);
  for (int round = 0; round < 50; ++round) {
    const auto session = *engine->OpenSession({.client_name = "test"});
    ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("add_one"), "main").ok());
    ASSERT_TRUE(session->Put(0, Floats({1, 2}), 0).ok());
    std::atomic<int> submitted{0};
    std::thread submitting([&] {
      while (session->Execute(1, {0}, {static_cast<Handle>(submitted + 1)}, 0).ok()) ++submitted;
    });
    while (submitted < 5) std::this_thread::yield();
    session->Close("the test says so");
    submitting.join();
  }
  may_end.Set(Unit{});
  engine->Shutdown(std::chrono::seconds(10));
  EXPECT_TRUE(HoldsNothing(*engine));
}

TEST(ShutdownTest, FinishesWorkInFlightAndRefusesNewSessions) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = *engine->OpenSession({.client_name = "test"});
  ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("zeros"), "main").ok());
  ASSERT_TRUE(session->Execute(1, {}, {1}, 0).ok());
  absl::Status status = absl::UnknownError("no answer");
  session->Await(1, [&](ReadyResult result) { status = result.status; });
  engine->Shutdown(std::chrono::hours(1));
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(engine->OpenSession({.client_name = "late"}).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_TRUE(HoldsNothing(*engine));
}

TEST(ShutdownTest, CancelsWhatTakesTooLong) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = *engine->OpenSession({.client_name = "test"});
  ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("spin"), "main").ok());
  ASSERT_TRUE(session->Execute(1, {}, {1}, 0).ok());
  absl::Status status;
  session->Await(1, [&](ReadyResult result) { status = result.status; });
  engine->Shutdown(std::chrono::milliseconds(10));
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

TEST(ShutdownTest, AnEngineMayGoWhileItWorks) {
  FakeCompiler compiler;
  std::shared_ptr<Session> session;
  {
    const auto engine = MakeFakeEngine(compiler);
    session = *engine->OpenSession({.client_name = "test"});
    ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("add_one"), "main").ok());
    ASSERT_TRUE(session->Put(0, Floats({1, 2}), 0).ok());
    for (Handle i = 1; i <= 1000; ++i) ASSERT_TRUE(session->Execute(1, {i - 1}, {i}, 0).ok());
  }
  EXPECT_EQ(Await(*session, 1000).status.code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace acceld::engine
