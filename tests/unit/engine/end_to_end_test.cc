#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/ir/builder.h"
#include "common/threads/future.h"
#include "server/engine/engine.h"
#include "tests/support/eventually.h"
#include "tests/unit/cache/temporary_folder.h"

// Real programs through the real compiler on the CPU device.
namespace acceld::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::Each;
using ::testing::FloatNear;

ir::TensorType F32(ir::Dims dims) { return {ir::DType::kF32, std::move(dims)}; }

ir::Module ModuleOf(ir::Function function) {
  ir::Module module;
  module.name = "test";
  module.functions.push_back(std::move(function));
  return module;
}

// y = x + 1
ir::Module AddOne(int64_t n) {
  ir::FunctionBuilder b("main");
  const ir::ValueId x = b.AddParameter(F32({n}));
  const ir::ValueId one = b.Constant(ir::Literal::Filled(F32({n}), 1));
  return ModuleOf(b.Finish({*b.AddOne(ir::OpKind::kAdd, {x, one})}));
}

// y = exp(tanh(x)) * x
ir::Module Chain(int64_t n) {
  ir::FunctionBuilder b("main");
  const ir::ValueId x = b.AddParameter(F32({n}));
  const ir::ValueId t = *b.AddOne(ir::OpKind::kTanh, {x});
  const ir::ValueId e = *b.AddOne(ir::OpKind::kExponential, {t});
  return ModuleOf(b.Finish({*b.AddOne(ir::OpKind::kMultiply, {e, x})}));
}

template <typename Result>
struct Waiting {
  std::shared_ptr<Promise<std::shared_ptr<Result>>> promise =
      std::make_shared<Promise<std::shared_ptr<Result>>>();
  Future<std::shared_ptr<Result>> future = promise->future();
  std::function<void(Result)> Callback() {
    return [p = promise](Result r) { p->Set(std::make_shared<Result>(std::move(r))); };
  }
  Result Get() { return **future.Await(); }
};

std::vector<float> Fetch(Session& session, Handle handle, ExecutionInfo* info = nullptr) {
  Waiting<FetchResult> waiting;
  session.Fetch(handle, waiting.Callback());
  const FetchResult result = waiting.Get();
  EXPECT_TRUE(result.array.ok()) << result.array.status();
  if (info != nullptr) *info = result.execution;
  if (!result.array.ok()) return {};
  std::vector<float> values(result.array->bytes.view.size() / sizeof(float));
  std::memcpy(values.data(), result.array->bytes.view.data(), result.array->bytes.view.size());
  return values;
}

class EndToEndTest : public ::testing::Test {
 protected:
  std::unique_ptr<Engine> Start(int64_t memory_bytes = int64_t{256} << 20) {
    EngineOptions options;
    options.cache_dir = folder_.path() + "/cache";
    options.device_memory_bytes = memory_bytes;
    absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(options);
    EXPECT_TRUE(engine.ok()) << engine.status();
    return *std::move(engine);
  }
  static absl::Status PutFilled(Session& session, Handle handle, int64_t n, double value) {
    return session.Put(handle, ir::Literal::Filled(F32({n}), value), 0);
  }
  testing::TemporaryFolder folder_;
};

TEST_F(EndToEndTest, ComputesTheRightValues) {
  const auto engine = Start();
  const auto session = *engine->OpenSession({.client_name = "test"});
  ASSERT_TRUE(session->RegisterProgram(1, Chain(1000), "main").ok());
  ASSERT_TRUE(PutFilled(*session, 1, 1000, 0.5).ok());
  ASSERT_TRUE(session->Execute(1, {1}, {2}, 0).ok());
  const float expected = std::exp(std::tanh(0.5f)) * 0.5f;
  const std::vector<float> values = Fetch(*session, 2);
  EXPECT_EQ(values.size(), 1000u);
  EXPECT_THAT(values, Each(FloatNear(expected, 1e-6f)));
}

TEST_F(EndToEndTest, EightThreadsWithTheSameNewProgramCompileItOnce) {
  const auto engine = Start();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto session = *engine->OpenSession({.client_name = "test"});
      EXPECT_TRUE(session->RegisterProgram(1, Chain(64), "main").ok());
      EXPECT_TRUE(PutFilled(*session, 1, 64, 0).ok());
      EXPECT_TRUE(session->Execute(1, {1}, {2}, 0).ok());
      EXPECT_THAT(Fetch(*session, 2), Each(0.0f));
      session->Close("the test says so");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(engine->Stats().compiles, 1u);
  EXPECT_EQ(engine->Stats().executions, 8u);
  EXPECT_TRUE(acceld::testing::Eventually([&] { return engine->Stats().arrays == 0; }));
}

TEST_F(EndToEndTest, ChainsOfTenThousandExecutions) {
  constexpr int64_t kElements = 1024;
  const auto engine = Start(/*memory_bytes=*/1 << 20);
  const auto session = *engine->OpenSession({.client_name = "test"});
  ASSERT_TRUE(session->RegisterProgram(1, AddOne(kElements), "main").ok());
  ASSERT_TRUE(PutFilled(*session, 0, kElements, 0).ok());
  for (Handle i = 1; i <= 10'000; ++i) {
    ASSERT_TRUE(session->Execute(1, {i - 1}, {i}, 0).ok());
    session->Release({i - 1});
  }
  EXPECT_THAT(Fetch(*session, 10'000), Each(10'000.0f));
  EXPECT_LE(engine->Devices()[0].memory_peak_bytes, 1u << 20);
}

TEST_F(EndToEndTest, ARestartFindsTheExecutableOnDiskAndAnAlteredOneIsDropped) {
  const auto run = [&](CacheVerdict expected) {
    const auto engine = Start();
    const auto session = *engine->OpenSession({.client_name = "test"});
    EXPECT_TRUE(session->RegisterProgram(1, AddOne(4), "main").ok());
    EXPECT_TRUE(PutFilled(*session, 1, 4, 41).ok());
    EXPECT_TRUE(session->Execute(1, {1}, {2}, 0).ok());
    ExecutionInfo info;
    EXPECT_THAT(Fetch(*session, 2, &info), Each(42.0f));
    EXPECT_EQ(info.verdict, expected);
    return engine->Stats().cache_dropped;
  };
  EXPECT_EQ(run(CacheVerdict::kMiss), 0u);
  EXPECT_EQ(run(CacheVerdict::kDisk), 0u);
  for (const auto& file : fs::recursive_directory_iterator(folder_.path())) {
    if (file.path().extension() != ".exe") continue;
    std::fstream stream(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(-100, std::ios::end);
    stream.put('\x5a');
  }
  EXPECT_EQ(run(CacheVerdict::kMiss), 1u);
  EXPECT_EQ(run(CacheVerdict::kDisk), 0u);
}

TEST_F(EndToEndTest, AnOutOfMemoryRequestFailsWithWhatIsComputedFromIt) {
  const auto engine = Start(/*memory_bytes=*/1 << 20);
  const auto session = *engine->OpenSession({.client_name = "test"});
  ir::FunctionBuilder b("main");
  const ir::ValueId huge = b.Constant(ir::Literal::Filled(F32({1 << 22}), 1));
  ASSERT_TRUE(session->RegisterProgram(1, ModuleOf(b.Finish({huge})), "main").ok());
  ASSERT_TRUE(session->RegisterProgram(2, AddOne(1 << 22), "main").ok());
  ASSERT_TRUE(session->RegisterProgram(3, AddOne(4), "main").ok());
  ASSERT_TRUE(session->Execute(1, {}, {1}, 0).ok());
  ASSERT_TRUE(session->Execute(2, {1}, {2}, 0).ok());
  Waiting<ReadyResult> waiting;
  session->Await(2, waiting.Callback());
  const absl::Status error = waiting.Get().status;
  EXPECT_EQ(error.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(error.message()), ::testing::HasSubstr("program test: "));
  ASSERT_TRUE(PutFilled(*session, 3, 4, 1).ok());
  ASSERT_TRUE(session->Execute(3, {3}, {4}, 0).ok());
  EXPECT_THAT(Fetch(*session, 4), Each(2.0f));
}

}  // namespace
}  // namespace acceld::engine
