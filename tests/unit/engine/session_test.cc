#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/engine/engine.h"
#include "tests/support/eventually.h"
#include "tests/unit/cache/temporary_folder.h"
#include "tests/unit/engine/fake_engine.h"

namespace acceld::engine {
namespace {

using ::acceld::testing::Answer;
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

enum : ProgramId { kAddOne = 1, kAdd, kZeros, kFail, kBad, kHuge, kSpin, kInvalid };

std::shared_ptr<Session> OpenWithPrograms(Engine& engine) {
  std::shared_ptr<Session> session = *engine.OpenSession({.client_name = "test"});
  ProgramId id = kAddOne;
  for (const char* name : {"add_one", "add", "zeros", "fail", "bad", "huge", "spin", "invalid"}) {
    EXPECT_TRUE(session->RegisterProgram(id++, ModuleNamed(name), "main").ok());
  }
  return session;
}

TEST(SessionTest, ExecutesWhatWasPut) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = OpenWithPrograms(*engine);
  ASSERT_TRUE(session->Put(1, Floats({1, 2}), 0).ok());
  ASSERT_TRUE(session->Execute(kAddOne, {1}, {2}, 0).ok());
  ASSERT_TRUE(session->Execute(kAdd, {1, 2}, {3}, 0).ok());
  EXPECT_THAT(FetchFloats(*session, 3), ElementsAre(3, 5));
}

TEST(SessionTest, VerdictsTellWhereTheExecutableCameFrom) {
  testing::TemporaryFolder folder;
  FakeCompiler compiler;
  FakeEngineOptions options;
  options.engine.cache_dir = folder.path();
  for (const CacheVerdict first : {CacheVerdict::kMiss, CacheVerdict::kDisk}) {
    const auto engine = MakeFakeEngine(compiler, options);
    const auto session = OpenWithPrograms(*engine);
    ASSERT_TRUE(session->Execute(kZeros, {}, {1}, 0).ok());
    const ExecutionInfo info = Await(*session, 1).execution;
    EXPECT_EQ(info.verdict, first);
    EXPECT_EQ(info.fingerprint, DigestOf("zeros").ToHex());
    EXPECT_EQ(info.cache_key.size(), 32u);
    ASSERT_TRUE(session->Execute(kZeros, {}, {2}, 0).ok());
    EXPECT_EQ(Await(*session, 2).execution.verdict, CacheVerdict::kMemory);
    EXPECT_EQ(Await(*session, 2).execution.compile_ms, 0);
  }
  EXPECT_EQ(compiler.compiles, 1);
}

TEST(SessionTest, EightSessionsWithTheSameNewProgramCompileItOnce) {
  FakeCompiler compiler;
  Promise<Unit> gate;
  compiler.may_end = gate.future();
  const auto engine = MakeFakeEngine(compiler);
  std::vector<std::shared_ptr<Session>> sessions(8);
  std::vector<std::thread> threads;
  for (auto& session : sessions) {
    threads.emplace_back([&] {
      session = OpenWithPrograms(*engine);
      EXPECT_TRUE(session->Put(1, Floats({1, 2}), 0).ok());
      EXPECT_TRUE(session->Execute(kAddOne, {1}, {2}, 0).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(engine->Stats().programs, 7u);
  gate.Set(Unit{});
  for (const auto& session : sessions) EXPECT_THAT(FetchFloats(*session, 2), ElementsAre(2, 3));
  EXPECT_EQ(compiler.compiles, 1);
  EXPECT_EQ(engine->Stats().cache_misses, 1u);
}

TEST(SessionTest, TenThousandDependentExecutionsAreSubmittedWithoutWaiting) {
  FakeCompiler compiler;
  Promise<Unit> gate;
  compiler.may_end = gate.future();
  FakeEngineOptions options;
  options.memory_bytes = 512 << 10;  // the arrays of the chain have 40 MB together
  const auto engine = MakeFakeEngine(compiler, options);
  const auto session = OpenWithPrograms(*engine);
  ASSERT_TRUE(session->Put(0, Floats(std::vector<float>(1024, 0.0f)), 0).ok());
  for (Handle i = 1; i <= 10'000; ++i) {
    ASSERT_TRUE(session->Execute(kAddOne, {i - 1}, {i}, 0).ok());
    session->Release({i - 1});
  }
  gate.Set(Unit{});
  EXPECT_EQ(FetchFloats(*session, 10'000)[1023], 10'000);
  session->Release({10'000});
  EXPECT_TRUE(acceld::testing::Eventually([&] { return session->info().arrays == 0; }));
  EXPECT_EQ(session->info().executions, 10'000u);
}

TEST(SessionTest, FailuresPoisonWhatIsComputedFromThemAndNothingElse) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = OpenWithPrograms(*engine);
  ASSERT_TRUE(session->Put(1, Floats({1, 2}), 0).ok());
  ASSERT_TRUE(session->Execute(kFail, {1}, {2}, 0).ok());
  ASSERT_TRUE(session->Execute(kAddOne, {2}, {3}, 0).ok());
  ASSERT_TRUE(session->Execute(kAdd, {1, 3}, {4}, 0).ok());
  ASSERT_TRUE(session->Execute(kBad, {1}, {5}, 0).ok());
  ASSERT_TRUE(session->Execute(kAddOne, {5}, {6}, 0).ok());
  ASSERT_TRUE(session->Execute(kHuge, {}, {7}, 0).ok());
  ASSERT_TRUE(session->Execute(kAddOne, {1}, {8}, 0).ok());
  EXPECT_EQ(Await(*session, 4).status.message(), "program fail: library call failed");
  EXPECT_EQ(FetchResultOf(*session, 6).array.status().message(), "program bad: no lowering");
  EXPECT_EQ(Await(*session, 7).status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(Await(*session, 7).status.message()), HasSubstr("program huge"));
  EXPECT_THAT(FetchFloats(*session, 8), ElementsAre(2, 3));
}

TEST(SessionTest, WrongCommandsPoisonTheirOutputs) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = OpenWithPrograms(*engine);
  ASSERT_TRUE(session->Put(1, Floats({1, 2}), 0).ok());
  ASSERT_TRUE(session->Put(2, Floats({1}), 0).ok());
  const struct {
    ProgramId program;
    std::vector<Handle> inputs;
    uint32_t device;
    const char* message;
  } cases[] = {
      {99, {1}, 0, "program 99 is not registered"},
      {kAddOne, {77}, 0, "program add_one: handle 77 is not defined"},
      {kAddOne, {1}, 5, "device 5: there are 1"},
      {kAdd, {1, 2}, 0, "program add: the arguments do not fit"},
      {kInvalid, {1}, 0, "main: x is not defined"},
  };
  Handle output = 100;
  for (const auto& wrong : cases) {
    ASSERT_TRUE(session->Execute(wrong.program, wrong.inputs, {++output}, wrong.device).ok());
    EXPECT_EQ(Await(*session, output).status.message(), wrong.message);
    // And so on in what is computed from it.
    ASSERT_TRUE(session->Execute(kAddOne, {output}, {output + 1000}, 0).ok());
    EXPECT_EQ(Await(*session, output + 1000).status.message(), wrong.message);
  }
  ASSERT_TRUE(session->Execute(kAddOne, {1}, {200, 201}, 0).ok());
  EXPECT_EQ(Await(*session, 201).status.message(),
            "program add_one: it returns 1 results, 2 handles are given");
  EXPECT_EQ(Await(*session, 12345).status.code(), absl::StatusCode::kNotFound);
}

TEST(SessionTest, CommandsThatCannotBeRecordedAreRefused) {
  FakeCompiler compiler;
  FakeEngineOptions options;
  options.engine.max_session_handles = 3;
  options.engine.max_programs = 8;
  options.engine.max_sessions = 1;
  const auto engine = MakeFakeEngine(compiler, options);
  const auto session = OpenWithPrograms(*engine);
  ASSERT_TRUE(session->Put(1, Floats({1, 2}), 0).ok());
  EXPECT_EQ(session->Put(1, Floats({1}), 0).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(session->Execute(kAddOne, {1}, {1}, 0).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(session->Execute(kAddOne, {1}, {2, 2}, 0).code(), absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(session->Execute(kAddOne, {1}, {2}, 0).ok());
  ASSERT_TRUE(session->Execute(kAddOne, {1}, {3}, 0).ok());
  const absl::Status full = session->Execute(kAddOne, {1}, {4}, 0);
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(full.message()), HasSubstr("3 of 3 handles"));
  EXPECT_EQ(session->RegisterProgram(50, ModuleNamed("x"), "").code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(engine->OpenSession({.client_name = "second"}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(SessionTest, TheQueueIsBounded) {
  FakeCompiler compiler;
  Promise<Unit> gate;
  compiler.may_end = gate.future();
  FakeEngineOptions options;
  options.engine.max_queued_executions = 10;
  const auto engine = MakeFakeEngine(compiler, options);
  const auto session = OpenWithPrograms(*engine);
  for (Handle i = 1; i <= 10; ++i) ASSERT_TRUE(session->Execute(kZeros, {}, {i}, 0).ok());
  EXPECT_EQ(session->info().queued, 10u);
  const absl::Status full = session->Execute(kZeros, {}, {11}, 0);
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(full.message()), HasSubstr("10 of 10 executions"));
  gate.Set(Unit{});
}

TEST(SessionTest, CompileAnswersWithTheVerdict) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = OpenWithPrograms(*engine);
  const auto compile = [&](ProgramId id) {
    return Answer<CompileResult>([&](auto done) {
      EXPECT_TRUE(session->Compile(id, {testing::F32({2})}, 0, {}, done).ok());
    });
  };
  EXPECT_EQ(compile(kAddOne).execution.verdict, CacheVerdict::kMiss);
  EXPECT_EQ(compile(kAddOne).execution.verdict, CacheVerdict::kMemory);
  EXPECT_EQ(compile(kBad).status.message(), "program bad: no lowering");
  EXPECT_EQ(compile(kZeros).status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(compile(99).status.code(), absl::StatusCode::kNotFound);
}

TEST(SessionTest, LargeArraysComeBackWhole) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = OpenWithPrograms(*engine);
  ASSERT_TRUE(session->Put(1, ir::Literal::Filled(testing::F32({1'000'000}), 2.5), 0).ok());
  const std::vector<float> values = FetchFloats(*session, 1);
  ASSERT_EQ(values.size(), 1'000'000u);
  EXPECT_EQ(values.front(), 2.5f);
  EXPECT_EQ(values.back(), 2.5f);
}

TEST(SessionTest, DevicesWorkTogether) {
  FakeCompiler compiler;
  FakeEngineOptions options;
  options.devices = 2;
  const auto engine = MakeFakeEngine(compiler, options);
  const auto session = OpenWithPrograms(*engine);
  ASSERT_TRUE(session->Put(1, Floats({1}), 0).ok());
  ASSERT_TRUE(session->Put(2, Floats({2}), 1).ok());
  ASSERT_TRUE(session->Execute(kAdd, {1, 2}, {3}, 0).ok());
  ASSERT_TRUE(session->Execute(kAdd, {3, 2}, {4}, 1).ok());
  EXPECT_THAT(FetchFloats(*session, 4), ElementsAre(5));
  EXPECT_EQ(compiler.compiles, 1);
  EXPECT_EQ(engine->Devices()[0].executions, 1u);
  EXPECT_EQ(engine->Devices()[1].executions, 1u);
}

TEST(SessionTest, SessionsHaveTokensThatCannotBeGuessed) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = *engine->OpenSession({.client_name = "a"});
  const auto other = *engine->OpenSession({.client_name = "b"});
  EXPECT_EQ(session->token().size(), 16u);
  EXPECT_NE(session->token(), other->token());
  EXPECT_EQ(engine->Sessions()[0].client_name, "a");
}

TEST(SessionTest, AKnownProgramIsRegisteredByItsFingerprint) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const Digest fingerprint = *engine->AddProgram(ModuleNamed("add_one"), "main", 100);
  const auto session = *engine->OpenSession({.client_name = "a"});
  EXPECT_TRUE(session->RegisterKnownProgram(1, fingerprint).ok());
  EXPECT_EQ(session->RegisterKnownProgram(1, fingerprint).status().code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(session->RegisterKnownProgram(2, DigestOf("another")).status().code(),
            absl::StatusCode::kNotFound);
  ASSERT_TRUE(session->Put(1, Floats({1, 2}), 0).ok());
  ASSERT_TRUE(session->Execute(1, {1}, {2}, 0).ok());
  EXPECT_THAT(FetchFloats(*session, 2), ElementsAre(2, 3));
}

TEST(SessionTest, ProgramsAreKeptForSessionsToComeUpToALimit) {
  FakeCompiler compiler;
  FakeEngineOptions options;
  options.engine.program_bytes = 100;
  const auto engine = MakeFakeEngine(compiler, options);
  const Digest first = *engine->AddProgram(ModuleNamed("first"), "main", 60);
  const Digest second = *engine->AddProgram(ModuleNamed("second"), "main", 60);
  const auto session = *engine->OpenSession({.client_name = "a"});
  EXPECT_TRUE(absl::IsNotFound(session->RegisterKnownProgram(1, first).status()));
  EXPECT_TRUE(session->RegisterKnownProgram(2, second).ok());
}

}  // namespace
}  // namespace acceld::engine
