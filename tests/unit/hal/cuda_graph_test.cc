#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "kernels/cuda/emit/device_code.h"
#include "tests/support/eventually.h"
#include "tests/unit/hal/device_fixture.h"

namespace acceld::testing {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

// Sorting keeps what is around it from becoming one kernel.
constexpr char kSort[] = R"("stablehlo.sort"(%v) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %gt : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<64xf32>) -> tensor<64xf32>)";

// v = sort(v) * 3, n times.
std::string Loop() {
  return absl::StrCat(R"(
func.func @main(%n: tensor<i32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3.0> : tensor<64xf32>
  %r:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<64xf32>
    cond {
      %c = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %s = )",
                      kSort, R"(
      %w = stablehlo.multiply %s, %three : tensor<64xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<64xf32>
    }
  return %r#1 : tensor<64xf32>
})");
}

// A loop of loops, with branches inside: by the parity of the inner counter.
std::string Nest() {
  return absl::StrCat(R"(
func.func @main(%n: tensor<i32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<64xf32>
  %r:2 = stablehlo.while(%i = %n, %u = %x) : tensor<i32>, tensor<64xf32>
    cond {
      %c = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %q:2 = stablehlo.while(%k = %i, %v = %u) : tensor<i32>, tensor<64xf32>
        cond {
          %d = stablehlo.compare NE, %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %d : tensor<i1>
        } do {
          %odd = stablehlo.and %k, %one : tensor<i32>
          %w = "stablehlo.case"(%odd) ({
            %s = )",
                      kSort, R"(
            stablehlo.return %s : tensor<64xf32>
          }, {
            %f = stablehlo.reverse %v, dims = [0] : tensor<64xf32>
            %h = stablehlo.add %f, %half : tensor<64xf32>
            stablehlo.return %h : tensor<64xf32>
          }) : (tensor<i32>) -> tensor<64xf32>
          %l = stablehlo.subtract %k, %one : tensor<i32>
          stablehlo.return %l, %w : tensor<i32>, tensor<64xf32>
        }
      %j = stablehlo.subtract %i, %one : tensor<i32>
      stablehlo.return %j, %q#1 : tensor<i32>, tensor<64xf32>
    }
  return %r#1 : tensor<64xf32>
})");
}

// v = v x m + v, n times.
constexpr char kLoopOfProducts[] = R"(
func.func @main(%n: tensor<i32>, %v: tensor<8x8xf32>, %m: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %u = %v) : tensor<i32>, tensor<8x8xf32>
    cond {
      %c = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %p = stablehlo.dot_general %u, %m, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %q = stablehlo.dot_general %p, %m, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %s = stablehlo.sine %q : tensor<8x8xf32>
      stablehlo.return %j, %s : tensor<i32>, tensor<8x8xf32>
    }
  return %r#1 : tensor<8x8xf32>
})";

// Products that do not depend on each other, and one of all of them.
constexpr char kProducts[] = R"(
func.func @main(%x: tensor<8x8xf32>, %m: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = stablehlo.dot_general %m, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = stablehlo.sine %a : tensor<8x8xf32>
  %d = stablehlo.cosine %b : tensor<8x8xf32>
  %e = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %e : tensor<8x8xf32>
})";

// Sorts of parts, which do not depend on each other, and then their concatenation.
std::string Parts() {
  std::string text = "func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {\n";
  for (int i = 0; i < 4; ++i) {
    absl::StrAppend(&text, "  %p", i, " = stablehlo.slice %x [", 64 * i, ":", 64 * (i + 1),
                    "] : (tensor<256xf32>) -> tensor<64xf32>\n  %s", i, R"( = "stablehlo.sort"(%p)",
                    i, R"() ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %gt : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<64xf32>) -> tensor<64xf32>
)");
  }
  return text + R"(
  %r = stablehlo.concatenate %s0, %s1, %s2, %s3, dim = 0 : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<256xf32>
  return %r : tensor<256xf32>
})";
}

ir::Literal Ramp(int size, float first) {
  std::vector<float> values(static_cast<size_t>(size));
  std::iota(values.begin(), values.end(), first);
  return Vector(values);
}

std::vector<float> Expected(absl::string_view text, const std::vector<ir::Literal>& arguments) {
  const auto module = ir::ParseModule(text);
  const auto results = ir::Interpret(*module, "main", arguments);
  EXPECT_TRUE(results.ok()) << results.status();
  return FloatsOf((*results)[0]);
}

class CudaGraphTest : public CudaDeviceTest {};

TEST_F(CudaGraphTest, LoopsNeverComeBackToTheHost) {
  Open();
  const auto executable = Compile(Loop());
  const auto module = Load(*executable);
  const std::vector<ir::Literal> arguments = {Scalar(5), Ramp(64, 0)};
  const auto run = [&] {
    hal::Launch launch = LaunchOf(module, *executable, {Put(arguments[0]), Put(arguments[1])});
    return std::pair(launch.results[0], launch);
  };
  for (int i = 0; i < 3; ++i) {
    auto [result, launch] = run();
    ASSERT_TRUE(stream_->Run(std::move(launch)).Await().ok());
    EXPECT_EQ(FloatsOf(*Fetch(result, executable->results[0])), Expected(Loop(), arguments));
  }
  // All of a run is given to the device before it begins.
  auto [result, launch] = run();
  cuda_->Pause();
  cuda_->ForgetCalls();
  const Event done = stream_->Run(std::move(launch));
  EXPECT_TRUE(Eventually([&] { return cuda_->CountOf("cuGraphLaunch") == 1; }));
  EXPECT_EQ(cuda_->CountOf("cuGraphAddNode_v2"), 0);
  EXPECT_FALSE(done.IsReady());
  cuda_->Resume();
  EXPECT_TRUE(done.Await().ok());
}

TEST_F(CudaGraphTest, SortsOfLongRowsAreInTheGraphs) {
  // v = sort(v) * -1, n times.
  constexpr char kText[] = R"(
func.func @main(%n: tensor<i32>, %x: tensor<5000xf32>) -> tensor<5000xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<5000xf32>
    cond {
      %c = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %s = "stablehlo.sort"(%v) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %gt = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %gt : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<5000xf32>) -> tensor<5000xf32>
      %w = stablehlo.negate %s : tensor<5000xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<5000xf32>
    }
  return %r#1 : tensor<5000xf32>
})";
  Open();
  const std::vector<ir::Literal> arguments = {Scalar(2), Ramp(5000, -20)};
  const auto results = Run(kText, arguments);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(FloatsOf((*results)[0]), Expected(kText, arguments));
  EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 1);
}

TEST_F(CudaGraphTest, LoopsInLoopsAndBranchesAreAsTheProgramSays) {
  Open();
  for (const int n : {0, 1, 4, 7}) {
    cuda_->ForgetCalls();
    const std::vector<ir::Literal> arguments = {Scalar(n), Ramp(64, -20)};
    const auto results = Run(Nest(), arguments);
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ(FloatsOf((*results)[0]), Expected(Nest(), arguments)) << n;
    EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 1);
  }
}

TEST_F(CudaGraphTest, WhatRunsMoreThanOnceIsAGraphAndFindsItsBuffers) {
  Open();
  const auto executable = Compile(Parts());
  const auto module = Load(*executable);
  cuda_->ForgetCalls();
  std::vector<std::shared_ptr<hal::Buffer>> results;
  std::vector<std::vector<float>> expected;
  Event last;
  for (int i = 0; i < 4; ++i) {
    const ir::Literal argument = Ramp(256, static_cast<float>(1000 * i));
    hal::Launch launch = LaunchOf(module, *executable, {Put(argument)});
    results.push_back(launch.results[0]);
    expected.push_back(Expected(Parts(), {argument}));
    last = stream_->Run(std::move(launch));
    // Several are on their way.
    if (i == 0) {
      ASSERT_TRUE(last.Await().ok());
      EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 0);
    }
  }
  ASSERT_TRUE(last.Await().ok());
  EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 3);
  EXPECT_EQ(cuda_->CountOf("cuGraphInstantiateWithFlags"), 1);
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(FloatsOf(*Fetch(results[i], executable->results[0])), expected[i]) << i;
  }
}

TEST_F(CudaGraphTest, EachStreamHasItsOwn) {
  Open();
  const auto executable = Compile(Loop());
  const auto module = Load(*executable);
  const std::unique_ptr<hal::Stream> other = devices_[0]->CreateStream("other");
  const auto three = Put(Scalar(3)), seven = Put(Scalar(7)), values = Put(Ramp(64, 0));
  // What the one stream has put there the other does not wait for.
  ASSERT_TRUE(Fetch(values, executable->arguments[1]).ok());
  hal::Launch one = LaunchOf(module, *executable, {three, values});
  hal::Launch two = LaunchOf(module, *executable, {seven, values});
  const auto first = one.results[0], second = two.results[0];
  const Event here = stream_->Run(std::move(one)), there = other->Run(std::move(two));
  ASSERT_TRUE(here.Await().ok() && there.Await().ok());
  EXPECT_EQ(FloatsOf(*Fetch(first, executable->results[0])).front(), 27 * 63);
  EXPECT_EQ(FloatsOf(*Fetch(second, executable->results[0])).front(), 2187 * 63);
}

TEST_F(CudaGraphTest, WhatAStreamHasOfAModuleEndsWithTheStream) {
  Open();
  const auto executable = Compile(Loop());
  const auto module = Load(*executable);
  const auto count = Put(Scalar(3)), values = Put(Ramp(64, 0));
  ASSERT_TRUE(Fetch(values, executable->arguments[1]).ok());
  const int64_t before = devices_[0]->memory().used_bytes;
  for (int i = 0; i < 3; ++i) {
    const std::unique_ptr<hal::Stream> other = devices_[0]->CreateStream("other");
    ASSERT_TRUE(other->Run(LaunchOf(module, *executable, {count, values})).Await().ok());
    EXPECT_GT(devices_[0]->memory().used_bytes, before);
  }
  EXPECT_EQ(devices_[0]->memory().used_bytes, before);
}

// Like Ramp, from -1 to 1.
ir::Literal Matrix(float first) {
  std::vector<float> values(64);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(first + static_cast<float>(i));
  return ir::Literal::FromValues<float>({.dtype = ir::DType::kF32, .dims = {8, 8}}, values);
}

TEST_F(CudaGraphTest, LoopsOfProductsNeverComeBackToTheHostEither) {
  Open();
  const auto executable = Compile(kLoopOfProducts);
  const auto module = Load(*executable);
  cuda_->ForgetCalls();
  std::vector<std::shared_ptr<hal::Buffer>> results;
  std::vector<std::vector<float>> expected;
  for (int i = 0; i < 4; ++i) {
    // Each in buffers of its own, while others are on their way.
    const std::vector<ir::Literal> arguments = {Scalar(i + 2), Matrix(static_cast<float>(i)),
                                                Matrix(static_cast<float>(2 * i))};
    hal::Launch launch =
        LaunchOf(module, *executable, {Put(arguments[0]), Put(arguments[1]), Put(arguments[2])});
    results.push_back(launch.results[0]);
    expected.push_back(Expected(kLoopOfProducts, arguments));
    stream_->Run(std::move(launch));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_THAT(FloatsOf(*Fetch(results[i], executable->results[0])),
                Pointwise(FloatNear(1e-5F), expected[i]));
  }
  EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 4);
  EXPECT_EQ(cuda_->CountOf("cuGraphInstantiateWithFlags"), 1);
  EXPECT_GE(cuda_->CountOf("cuGraphExecChildGraphNodeSetParams"), 3);
}

TEST_F(CudaGraphTest, ProductsAreCapturedWhenBuffersStayWhereTheyAre) {
  Open();
  const auto executable = Compile(kProducts);
  const auto module = Load(*executable);
  const std::vector<ir::Literal> arguments = {Matrix(1), Matrix(2)};
  const auto expected = Pointwise(FloatNear(1e-5F), Expected(kProducts, arguments));
  const hal::Launch same = LaunchOf(module, *executable, {Put(arguments[0]), Put(arguments[1])});
  const auto run = [&](const hal::Launch& launch) {
    cuda_->ForgetCalls();
    ASSERT_TRUE(stream_->Run(launch).Await().ok());
    EXPECT_THAT(FloatsOf(*Fetch(launch.results[0], executable->results[0])), expected);
  };
  run(same);  // No run is the first one's predecessor.
  EXPECT_EQ(cuda_->CountOf("cuStreamBeginCapture_v2"), 0);
  for (int i = 0; i < 3; ++i) run(same);
  run(same);
  EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 1);
  EXPECT_EQ(cuda_->CountOf("cuStreamBeginCapture_v2"), 0);
  EXPECT_EQ(cuda_->CountOf("cuLaunchKernel"), 1) << "which tells the graph where buffers are";
  // Elsewhere: first as if there were no graph, then by the graph made for it.
  const hal::Launch other = LaunchOf(module, *executable, {Put(arguments[0]), Put(arguments[1])});
  run(other);
  EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 0);
  run(other);
  EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 1);
  EXPECT_EQ(cuda_->CountOf("cuGraphInstantiateWithFlags"), 0);
}

TEST_F(CudaGraphTest, AGraphThatCannotBeChangedIsMadeAnew) {
  Open();
  const auto executable = Compile(kLoopOfProducts);
  const auto module = Load(*executable);
  const std::vector<ir::Literal> arguments = {Scalar(3), Matrix(1), Matrix(2)};
  for (int i = 0; i < 3; ++i) {
    cuda_->ForgetCalls();
    if (i == 1) cuda_->Fail("cuGraphExecChildGraphNodeSetParams", 801);
    hal::Launch launch =
        LaunchOf(module, *executable, {Put(arguments[0]), Put(arguments[1]), Put(arguments[2])});
    const auto result = launch.results[0];
    ASSERT_TRUE(stream_->Run(std::move(launch)).Await().ok());
    EXPECT_THAT(FloatsOf(*Fetch(result, executable->results[0])),
                Pointwise(FloatNear(1e-5F), Expected(kLoopOfProducts, arguments)));
    EXPECT_EQ(cuda_->CountOf("cuGraphInstantiateWithFlags"), i < 2 ? 1 : 0) << i;
    EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 1);
  }
}

TEST_F(CudaGraphTest, AProductThatCannotBeCapturedIsRunByTheHost) {
  Open();
  for (const char* function :
       {"cuStreamBeginCapture_v2", "cuStreamEndCapture", "FakeCudaEnqueue"}) {
    const auto executable = Compile(kLoopOfProducts);
    const auto module = Load(*executable);
    const std::vector<ir::Literal> arguments = {Scalar(3), Matrix(1), Matrix(2)};
    cuda_->ForgetCalls();
    cuda_->Fail(function, 801);
    hal::Launch launch =
        LaunchOf(module, *executable, {Put(arguments[0]), Put(arguments[1]), Put(arguments[2])});
    const auto result = launch.results[0];
    const absl::Status status = stream_->Run(std::move(launch)).Await().status();
    ASSERT_TRUE(status.ok()) << status << " after " << function;
    EXPECT_THAT(FloatsOf(*Fetch(result, executable->results[0])),
                Pointwise(FloatNear(1e-5F), Expected(kLoopOfProducts, arguments)));
    EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 0);
  }
}

TEST_F(CudaGraphTest, AnOldDriverHasTheHostWalkLoops) {
  Open({.driver_version = 12'040});
  const std::vector<ir::Literal> arguments = {Scalar(4), Ramp(64, -20)};
  const auto results = Run(Nest(), arguments);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(FloatsOf((*results)[0]), Expected(Nest(), arguments));
  EXPECT_EQ(cuda_->CountOf("cuGraphCreate"), 0);
}

TEST_F(CudaGraphTest, AGraphThatCannotBeMadeIsGoneWithout) {
  Open();
  for (const char* function : {"cuGraphCreate", "cuGraphAddNode_v2",
                               "cuGraphConditionalHandleCreate", "cuGraphInstantiateWithFlags"}) {
    const auto executable = Compile(Nest());
    const auto module = Load(*executable);
    const std::vector<ir::Literal> arguments = {Scalar(3), Ramp(64, 5)};
    cuda_->Fail(function, 801);  // NOT_SUPPORTED
    for (int i = 0; i < 2; ++i) {
      hal::Launch launch = LaunchOf(module, *executable, {Put(arguments[0]), Put(arguments[1])});
      const auto result = launch.results[0];
      const absl::Status status = stream_->Run(std::move(launch)).Await().status();
      ASSERT_TRUE(status.ok()) << status << " after " << function;
      EXPECT_EQ(FloatsOf(*Fetch(result, executable->results[0])), Expected(Nest(), arguments));
    }
  }
  EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 0);
}

TEST_F(CudaGraphTest, AGraphThatIsNotLaunchedIsGoneWithout) {
  Open();
  const auto executable = Compile(Loop());
  const auto module = Load(*executable);
  const std::vector<ir::Literal> arguments = {Scalar(3), Ramp(64, 5)};
  cuda_->Fail("cuGraphLaunch", 801);
  for (int i = 0; i < 2; ++i) {
    hal::Launch launch = LaunchOf(module, *executable, {Put(arguments[0]), Put(arguments[1])});
    const auto result = launch.results[0];
    const absl::Status status = stream_->Run(std::move(launch)).Await().status();
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(FloatsOf(*Fetch(result, executable->results[0])), Expected(Loop(), arguments));
  }
  EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 1);
}

TEST_F(CudaGraphTest, AfterAShortageOfMemoryItBeginsAnew) {
  Open();
  const auto executable = Compile(Parts());
  const auto module = Load(*executable);
  const ir::Literal argument = Ramp(256, 3);
  std::vector<int> launched;
  for (int i = 0; i < 5; ++i) {
    cuda_->ForgetCalls();
    if (i == 2) cuda_->Fail("cuGraphLaunch", hal::cuda::Driver::kOutOfMemory);
    hal::Launch launch = LaunchOf(module, *executable, {Put(argument)});
    const auto result = launch.results[0];
    ASSERT_TRUE(stream_->Run(std::move(launch)).Await().ok()) << i;
    EXPECT_EQ(FloatsOf(*Fetch(result, executable->results[0])), Expected(Parts(), {argument})) << i;
    launched.push_back(cuda_->CountOf("cuGraphLaunch"));
  }
  EXPECT_THAT(launched, ::testing::ElementsAre(0, 1, 1, 0, 1));
}

TEST_F(CudaGraphTest, WhatGraphsLaunchIsLoadedAsPtxIfTheDriverRefusesMachineCode) {
  Open();
  const auto executable = Compile(Loop());
  cuda_->ForgetCalls();
  cuda_->Fail("cuModuleLoadData", 200, /*calls=*/1);  // after the module's own
  const auto module = Load(*executable);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(cuda_->CountOf("cuModuleLoadData"), 3);
  EXPECT_TRUE(Run(Loop(), {Scalar(3), Ramp(64, 5)}).ok());
  EXPECT_EQ(cuda_->CountOf("cuGraphLaunch"), 1);
}

TEST_F(CudaGraphTest, AKernelThatBreaksTheDeviceEndsTheLoop) {
  Open({.break_at = 20});
  EXPECT_EQ(Run(Loop(), {Scalar(-1), Ramp(64, 5)}).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(CudaGraphTest, NothingIsLeftOfAModule) {
  Open();
  (void)Run(Loop(), {Scalar(1), Ramp(64, 5)});  // What all share is there.
  const int before = cuda_->live_objects();
  constexpr int kModules = 10;
  for (int i = 0; i < kModules; ++i) ASSERT_TRUE(Run(Nest(), {Scalar(2), Ramp(64, 5)}).ok());
  // Events that go round may have become a few more.
  EXPECT_LT(cuda_->live_objects(), before + kModules);
}

TEST(CudaGraphKernelsTest, TakeAsManyWordsAsTheyAreGiven) {
  EXPECT_TRUE(absl::StrContains(kernels::cuda::GraphSource(),
                                absl::StrCat("kWords = ", kernels::cuda::kGraphWords, ";")));
}

}  // namespace
}  // namespace acceld::testing
