#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/unit/engine/fake_engine.h"

// Sessions on a device that is short of memory.
namespace acceld::engine {
namespace {

using ::acceld::testing::Await;
using ::acceld::testing::FakeCompiler;
using ::acceld::testing::FetchFloats;
using ::acceld::testing::Floats;
using ::acceld::testing::MakeFakeEngine;
using ::acceld::testing::ModuleNamed;

constexpr size_t kElements = 1024;
constexpr uint64_t kBytes = kElements * sizeof(float);

std::vector<float> All(float value) { return std::vector<float>(kElements, value); }

// An engine whose device holds `arrays` arrays of kBytes.
std::unique_ptr<Engine> SmallEngine(FakeCompiler& compiler, int arrays) {
  return MakeFakeEngine(compiler, {.engine = {.host_memory_bytes = 1 << 20, .compile_threads = 1},
                                   .memory_bytes = arrays * static_cast<int64_t>(kBytes)});
}

void PutAll(Session& session, Handle handle, float value) {
  ASSERT_TRUE(session.Put(handle, Floats(All(value)), 0).ok());
  ASSERT_TRUE(Await(session, handle).status.ok());
}

TEST(MemoryTest, AnArrayThatSeveralHoldIsSpilledOnce) {
  FakeCompiler compiler;
  const auto engine = SmallEngine(compiler, 2);
  const auto a = *engine->OpenSession({.client_name = "a"});
  const auto b = *engine->OpenSession({.client_name = "b"});
  PutAll(*a, 1, 7);
  ASSERT_TRUE(a->Publish(1, "weights", {}).ok());
  ASSERT_TRUE(a->OpenNamed(2, "weights").ok());
  ASSERT_TRUE(b->OpenNamed(1, "weights").ok());
  PutAll(*b, 2, 8);
  PutAll(*b, 3, 9);
  EXPECT_EQ(engine->Stats().spills, 1u);
  EXPECT_EQ(engine->Stats().spilled_bytes, kBytes);
  EXPECT_EQ(FetchFloats(*a, 1), All(7));
  EXPECT_EQ(FetchFloats(*a, 2), All(7));
  EXPECT_EQ(FetchFloats(*b, 1), All(7));
  EXPECT_EQ(engine->Stats().restores, 0u);
}

TEST(MemoryTest, AReleasedSpilledArrayFreesItsHostMemory) {
  FakeCompiler compiler;
  const auto engine = SmallEngine(compiler, 1);
  const auto session = *engine->OpenSession({});
  PutAll(*session, 1, 1);
  PutAll(*session, 2, 2);
  EXPECT_EQ(engine->Stats().spilled_bytes, kBytes);
  session->Release({1});
  EXPECT_EQ(engine->Stats().spilled_bytes, 0u);
}

TEST(MemoryTest, UnusedExecutablesGiveWayAndAreLoadedAgainWithoutACompile) {
  FakeCompiler compiler;
  const auto engine = SmallEngine(compiler, 6);
  const auto session = *engine->OpenSession({});
  ASSERT_TRUE(session->RegisterProgram(1, ModuleNamed("heavy"), "main").ok());
  PutAll(*session, 1, 1);
  ASSERT_TRUE(session->Execute(1, std::vector<Handle>{1}, std::vector<Handle>{2}, 0).ok());
  EXPECT_EQ(FetchFloats(*session, 2), All(2));
  // The only compile thread has let go of the executable when it has made another.
  ASSERT_TRUE(session->RegisterProgram(2, ModuleNamed("zeros"), "main").ok());
  const auto compiled = testing::Answer<CompileResult>(
      [&](auto done) { (void)session->Compile(2, {}, 0, {}, std::move(done)); });
  EXPECT_TRUE(compiled.status.ok());
  // With these the device is full: arrays beside 8 KiB of constants.
  for (Handle handle = 3; handle <= 6; ++handle) PutAll(*session, handle, 0);
  EXPECT_EQ(engine->Stats().executable_unloads, 1u);
  EXPECT_EQ(engine->Stats().spills, 0u);
  // Loading it again makes room in turn.
  ASSERT_TRUE(session->Execute(1, std::vector<Handle>{2}, std::vector<Handle>{7}, 0).ok());
  EXPECT_EQ(FetchFloats(*session, 7), All(3));
  EXPECT_GT(engine->Stats().spills, 0u);
  EXPECT_EQ(compiler.compiles.load(), 2);
}

}  // namespace
}  // namespace acceld::engine
