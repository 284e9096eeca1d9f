// What an engine tells about its work, and how a session is ended from outside.
#include <atomic>
#include <future>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/engine/session/ended_sessions.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

namespace acceld::engine {
namespace {

using testing::Await;
using testing::FakeCompiler;
using testing::MakeFakeEngine;
using testing::ModuleNamed;

TEST(WarmUpTest, IsDoneOnceForDevicesOfAKindWhileClientsAreServed) {
  FakeCompiler compiler;
  std::promise<void> served;
  std::atomic<int> times{0};
  {
    const auto engine = MakeFakeEngine(
        compiler, {.devices = 2, .warm_up = [&](const codegen::CodeGenerator&) {
                     ++times;
                     served.get_future().wait();
                     return absl::InternalError("that only costs the first client some time");
                   }});
    const auto session = *engine->OpenSession({.client_name = "a"});
    (void)session->RegisterProgram(1, ModuleNamed("add_one"), "main");
    (void)session->Put(1, testing::Floats({1}), 0);
    (void)session->Execute(1, {1}, {2}, 0);
    EXPECT_EQ(testing::FetchFloats(*session, 2)[0], 2);
    served.set_value();
  }
  EXPECT_EQ(times, 1);
}

TEST(CloseSessionTest, WhatIsPendingHearsTheReason) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = *engine->OpenSession({.client_name = "a"});
  const auto other = *engine->OpenSession({.client_name = "b"});
  (void)session->RegisterProgram(1, ModuleNamed("spin"), "main");
  (void)session->Execute(1, {}, {1}, 0);
  absl::Status heard;
  session->Await(1, [&heard](const ReadyResult& result) { heard = result.status; });
  ASSERT_TRUE(engine->CloseSession(session->id(), "too greedy").ok());
  EXPECT_EQ(heard.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(heard.message(), "too greedy");
  // Until then it may have left something on the device.
  EXPECT_TRUE(testing::Eventually([&] {
    return engine->CloseSession(session->id(), "again").code() == absl::StatusCode::kNotFound;
  }));
  (void)other->Put(1, testing::Floats({1}), 0);
  EXPECT_EQ(testing::FetchFloats(*other, 1), std::vector<float>{1});
}

TEST(EndedSessionsTest, AreToldWithTheirReasonTheLastOneFirst) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto first = *engine->OpenSession({.client_name = "a", .identity = {.name = "ann"}});
  const auto second = *engine->OpenSession({.client_name = "b", .identity = {.name = "bob"}});
  (void)first->RegisterProgram(1, ModuleNamed("zeros"), "main");
  (void)first->Execute(1, {}, {1}, 0);
  (void)Await(*first, 1);
  EXPECT_TRUE(engine->EndedSessions().empty());
  first->Close("it was done");
  first->Close("it was done twice");
  ASSERT_TRUE(engine->CloseSession(second->id(), "too greedy").ok());

  const std::vector<EndedSessionInfo> ended = engine->EndedSessions();
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].id, second->id());
  EXPECT_EQ(ended[0].client_name, "b");
  EXPECT_EQ(ended[0].reason, "too greedy");
  EXPECT_EQ(ended[0].executions, 0u);
  EXPECT_EQ(ended[1].id, first->id());
  EXPECT_EQ(ended[1].identity, "ann");
  EXPECT_EQ(ended[1].reason, "it was done");
  EXPECT_EQ(ended[1].executions, 1u);
  EXPECT_GT(ended[1].lasted_s, 0);
  EXPECT_GE(ended[1].age_s, 0);
  EXPECT_TRUE(engine->Sessions().empty());
}

TEST(EndedSessionsTest, AsManyAreKeptAsFitTheList) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  uint64_t last = 0;
  for (size_t i = 0; i < EndedSessions::kMaxSessions + 10; ++i) {
    const auto session = *engine->OpenSession({.client_name = "a"});
    last = session->id();
    session->Close(std::string(10'000, 'x'));
  }
  const std::vector<EndedSessionInfo> ended = engine->EndedSessions();
  ASSERT_EQ(ended.size(), EndedSessions::kMaxSessions);
  EXPECT_EQ(ended.front().id, last);
  EXPECT_EQ(ended.back().id, last - EndedSessions::kMaxSessions + 1);
  EXPECT_EQ(ended.front().reason, std::string(EndedSessions::kMaxReasonBytes, 'x'));
}

TEST(TraceTest, HasExecutionsCopiesAndCompiles) {
  FakeCompiler compiler;
  const auto engine = MakeFakeEngine(compiler);
  const auto session = *engine->OpenSession({.client_name = "a"});
  (void)session->RegisterProgram(1, ModuleNamed("add_one"), "main");
  (void)session->RegisterProgram(2, ModuleNamed("fail"), "main");
  (void)session->Put(1, testing::Floats({1, 2}), 0);
  (void)session->Execute(1, {1}, {2}, 0);
  (void)session->Execute(2, {1}, {3}, 0);
  EXPECT_EQ(testing::FetchFloats(*session, 2)[0], 2);
  EXPECT_FALSE(Await(*session, 3).status.ok());
  const std::vector<TraceSpan> spans = *engine->Trace(std::chrono::hours(1));
  const auto find = [&](SpanKind kind, absl::string_view name) {
    for (const TraceSpan& span : spans) {
      if (span.kind == kind && span.name == name) return span;
    }
    ADD_FAILURE() << name;
    return TraceSpan{};
  };
  const TraceSpan run = find(SpanKind::kExecution, "add_one");
  EXPECT_EQ(run.session, session->id());
  EXPECT_EQ(run.code, 0);
  EXPECT_LE(run.submitted_ns, run.begin_ns);
  EXPECT_LE(run.begin_ns, run.end_ns);
  EXPECT_EQ(find(SpanKind::kExecution, "fail").code,
            static_cast<uint8_t>(absl::StatusCode::kInternal));
  EXPECT_EQ(find(SpanKind::kUpload, "upload").session, session->id());
  EXPECT_GT(find(SpanKind::kDownload, "download").end_ns, 0);
  const TraceSpan compile = find(SpanKind::kCompile, "add_one");
  const TraceSpan step = find(SpanKind::kCompileStep, "fake");
  EXPECT_GT(compile.track, 0u);
  EXPECT_LE(compile.begin_ns, compile.end_ns);
  EXPECT_LE(step.begin_ns, step.end_ns);
}

TEST(TraceTest, MayBeOff) {
  FakeCompiler compiler;
  testing::FakeEngineOptions options;
  options.engine.trace_spans = 0;
  const auto engine = MakeFakeEngine(compiler, options);
  EXPECT_EQ(engine->Trace(std::chrono::hours(1)).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace acceld::engine
