#include <gmock/gmock.h>

#include <numeric>

#include "tests/unit/hal/device_fixture.h"

namespace acceld::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kSelu[] = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %two : tensor<4xf32>
  %1 = stablehlo.add %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
})";

// Multiplies by 3 until the counter, an argument, is 0.
constexpr char kLoop[] = R"(
func.func @main(%n: tensor<i32>, %x: tensor<512xf32>) -> tensor<512xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3.0> : tensor<512xf32>
  %r:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<512xf32>
    cond {
      %c = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %s = "stablehlo.sort"(%v) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %lt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %lt : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<512xf32>) -> tensor<512xf32>
      %w = stablehlo.multiply %s, %three : tensor<512xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<512xf32>
    }
  return %r#1 : tensor<512xf32>
})";

constexpr char kCase[] = R"(
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = "stablehlo.case"(%i) ({
    %a = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %s = "stablehlo.sort"(%x) ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %lt = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %lt : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})";

class CudaStreamTest : public CudaDeviceTest {
 protected:
  void SetUp() override { Open({.devices = 2}); }
};

TEST_F(CudaStreamTest, RunsAProgram) {
  const auto results = Run(kSelu, {Vector({1, -2, 0.5, 100})});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(FloatsOf((*results)[0]), ElementsAre(3, -6, 1.5, 300));
}

TEST_F(CudaStreamTest, GivesTheDeviceManyRunsBeforeTheFirstEnds) {
  const auto executable = Compile(kSelu);
  const auto module = Load(*executable);
  std::shared_ptr<hal::Buffer> buffer = Put(Vector({1, 1, 1, 1}));
  cuda_->Pause();
  cuda_->ForgetCalls();
  Event last;
  for (int i = 0; i < 5; ++i) {
    hal::Launch launch = LaunchOf(module, *executable, {buffer});
    buffer = launch.results[0];
    last = stream_->Run(std::move(launch));
  }
  EXPECT_EQ(cuda_->CountOf("cuLaunchKernel"), 5);
  EXPECT_FALSE(last.IsReady());
  cuda_->Resume();
  ASSERT_TRUE(last.Await().ok());
  EXPECT_THAT(FloatsOf(*Fetch(buffer, executable->results[0])), ElementsAre(243, 243, 243, 243));
}

TEST_F(CudaStreamTest, CopiesOfAnySizeArriveWhole) {
  for (const int64_t size :
       {int64_t{0}, int64_t{1}, int64_t{100'000}, int64_t{1} << 20, (int64_t{9} << 20) + 5}) {
    auto bytes = std::make_shared<std::vector<char>>(static_cast<size_t>(size));
    std::iota(bytes->begin(), bytes->end(), static_cast<char>(size));
    auto buffer = Allocate(size + 3);
    stream_->CopyFromHost(bytes->data(), size, buffer, 3, bytes);
    auto back = std::make_shared<std::vector<char>>(static_cast<size_t>(size) + 3);
    ASSERT_TRUE(stream_->CopyToHost(buffer, back->data(), back).Await().ok());
    EXPECT_TRUE(std::equal(bytes->begin(), bytes->end(), back->begin() + 3)) << size;
  }
  const auto small = Allocate(4);
  EXPECT_EQ(stream_->CopyFromHost("12345", 5, small, 0, nullptr).Await().status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(CudaStreamTest, ACallerDoesNotWaitForTheDeviceToTakeSmallCopies) {
  const auto buffer = Allocate(64);
  const auto bytes = std::make_shared<std::string>(64, 'x');
  ASSERT_TRUE(stream_->CopyFromHost(bytes->data(), 64, buffer, 0, bytes).Await().ok());
  cuda_->Pause();
  Event last;
  // More than there is pinned memory for.
  for (int i = 0; i < 10; ++i) last = stream_->CopyFromHost(bytes->data(), 64, buffer, 0, bytes);
  EXPECT_FALSE(last.IsReady());
  cuda_->Resume();
  EXPECT_TRUE(last.Await().ok());
}

TEST_F(CudaStreamTest, LoopsGoOnAsLongAsTheirValuesSay) {
  std::vector<float> values(512);
  std::iota(values.begin(), values.end(), 0.0f);
  const auto results = Run(kLoop, {Scalar(3), Vector(values)});
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<float> floats = FloatsOf((*results)[0]);
  EXPECT_EQ(floats.front(), 27 * 511);
  EXPECT_EQ(floats.back(), 0);
}

TEST_F(CudaStreamTest, AnIndexOutOfRangeTakesTheLastBranch) {
  const auto run = [this](int32_t index) {
    return FloatsOf((*Run(kCase, {Scalar(index), Vector({3, 1, 4, 1})}))[0]);
  };
  EXPECT_THAT(run(0), ElementsAre(-3, -1, -4, -1));
  for (const int32_t index : {1, 2, -1}) EXPECT_THAT(run(index), ElementsAre(1, 1, 3, 4));
}

TEST_F(CudaStreamTest, RoutinesOfLinearAlgebraRunInTheMidstOfKernels) {
  const auto results = Run(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %two : tensor<4xf32>
  %1 = stablehlo.reshape %0 : (tensor<4xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.cholesky %1, lower = true : tensor<2x2xf32>
  %3 = stablehlo.reshape %2 : (tensor<2x2xf32>) -> tensor<4xf32>
  %4 = stablehlo.add %3, %two : tensor<4xf32>
  return %4 : tensor<4xf32>
})",
                           {Vector({2, 2, 2, 10})});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(FloatsOf((*results)[0]), ElementsAre(4, 2, 4, 6));
}

TEST_F(CudaStreamTest, ALoopWithoutEndStopsWhenItIsCancelled) {
  const auto executable = Compile(kLoop);
  const auto buffer = Put(Vector(std::vector<float>(512)));
  hal::Launch launch = LaunchOf(Load(*executable), *executable, {Put(Scalar(-1)), buffer});
  auto control = std::make_shared<hal::RunControl>();
  launch.control = control;
  const Event done = stream_->Run(std::move(launch));
  const Event next = stream_->CopyFromPeer(buffer, Allocate(buffer->size_bytes()));
  EXPECT_FALSE(next.IsReady());
  control->Cancel();
  EXPECT_EQ(done.Await().status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(next.Await().ok());
}

// Programs that store little and compute without end. The stand-in for a device runs the threads in
// turn, each up to where it sees that it is cancelled, so there are few of them.
constexpr char kWindowsOfPadding[] = R"(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1099511627777>, window_strides = array<i64: 1>,
      padding = dense<[[549755813888, 549755813888]]> : tensor<1x2xi64>}
    : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
})";
constexpr char kSumOfManyIndices[] = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.iota dim = 1 : tensor<4x1099511627776xf32>
  %b = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x1099511627776xf32>
  %p = stablehlo.multiply %i, %b : tensor<4x1099511627776xf32>
  %0 = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<4x1099511627776xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";
constexpr char kConvolutionOfPadding[] = R"(
func.func @main(%x: tensor<1x1x4xf32>, %w: tensor<16x1x262144xf32>) -> tensor<1x16x262145xf32> {
  %0 = stablehlo.convolution(%x, %w)
    dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[262143, 262141]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x4xf32>, tensor<16x1x262144xf32>) -> tensor<1x16x262145xf32>
  return %0 : tensor<1x16x262145xf32>
})";

TEST_F(CudaStreamTest, WorkThatIsNotStoredStopsWhenItIsCancelled) {
  const auto one = Put(Vector(std::vector<float>(4194304)));
  for (const char* program : {kWindowsOfPadding, kSumOfManyIndices, kConvolutionOfPadding}) {
    SCOPED_TRACE(program);
    const auto executable = Compile(program);
    std::vector<std::shared_ptr<hal::Buffer>> arguments = {one};
    if (program == kConvolutionOfPadding) arguments.push_back(one);
    hal::Launch launch = LaunchOf(Load(*executable), *executable, arguments);
    auto control = std::make_shared<hal::RunControl>();
    launch.control = control;
    const Event done = stream_->Run(std::move(launch));
    EXPECT_FALSE(done.IsReady());
    control->Cancel();
    EXPECT_EQ(done.Await().status().code(), absl::StatusCode::kCancelled);
  }
}

TEST_F(CudaStreamTest, OneStreamWaitsForAnotherWithoutTheHost) {
  const auto executable = Compile(kSelu);
  const auto module = Load(*executable);
  const auto argument = Put(Vector({1, 2, 3, 4}));
  const std::unique_ptr<hal::Stream> other = devices_[0]->CreateStream("other");
  cuda_->Pause();
  hal::Launch first = LaunchOf(module, *executable, {argument});
  hal::Launch second = LaunchOf(module, *executable, first.results);
  const auto result = second.results[0];
  const Event made = stream_->Run(std::move(first));
  cuda_->ForgetCalls();
  other->Wait(made);
  const Event used = other->Run(std::move(second));
  // Both are on the device already.
  EXPECT_EQ(cuda_->CountOf("cuStreamWaitEvent"), 1);
  EXPECT_EQ(cuda_->CountOf("cuLaunchKernel"), 1);
  cuda_->Resume();
  ASSERT_TRUE(used.Await().ok());
  EXPECT_THAT(FloatsOf(*Fetch(result, executable->results[0])), ElementsAre(9, 18, 27, 36));
}

TEST_F(CudaStreamTest, WaitsForEventsOfTheHost) {
  const auto from = Put(Vector({1, 2, 3, 4}));
  const auto to = Allocate(16);
  Promise<Unit> promise;
  stream_->Wait(promise.future());
  const Event copied = stream_->CopyFromPeer(from, to);
  EXPECT_EQ(copied.AwaitUntil(std::chrono::steady_clock::now() + std::chrono::milliseconds(20)),
            nullptr);
  promise.Set(absl::InternalError("of no concern"));
  EXPECT_TRUE(copied.Await().ok());
}

TEST_F(CudaStreamTest, CopiesBetweenDevices) {
  const auto from = Put(Vector({1, 2, 3, 4}));
  const std::shared_ptr<hal::Buffer> to = *devices_[1]->Allocate(16);
  const std::unique_ptr<hal::Stream> other = devices_[1]->CreateStream("run");
  Promise<Unit> ready;
  ASSERT_TRUE(stream_->CopyFromPeer(from, Allocate(16)).Await().ok());
  ASSERT_TRUE(other->CopyFromPeer(from, to).Await().ok());
  float values[4];
  ASSERT_TRUE(other->CopyToHost(to, values, nullptr).Await().ok());
  EXPECT_EQ(values[3], 4);
}

TEST_F(CudaStreamTest, CopiesAlsoBetweenDevicesThatDoNotReachEachOther) {
  Open({.devices = 2, .reach_each_other = false});
  const auto from = Put(Vector({1, 2, 3, 4}));
  const std::shared_ptr<hal::Buffer> to = *devices_[1]->Allocate(16);
  const std::unique_ptr<hal::Stream> other = devices_[1]->CreateStream("run");
  ASSERT_TRUE(stream_->CopyFromPeer(from, Allocate(16)).Await().ok());
  ASSERT_TRUE(other->CopyFromPeer(from, to).Await().ok());
  float values[4];
  ASSERT_TRUE(other->CopyToHost(to, values, nullptr).Await().ok());
  EXPECT_EQ(values[3], 4);
  EXPECT_EQ(cuda_->CountOf("cuMemPoolSetAccess"), 0);
  EXPECT_EQ(cuda_->CountOf("cuMemcpyPeerAsync"), 1);
}

TEST_F(CudaStreamTest, TellsHowLongARunTook) {
  const auto executable = Compile(kSelu);
  hal::Launch launch = LaunchOf(Load(*executable), *executable, {Put(Vector({1, 2, 3, 4}))});
  auto took = std::make_shared<std::atomic<int64_t>>(-1);
  launch.device_ns = took;
  ASSERT_TRUE(stream_->Run(std::move(launch)).Await().ok());
  EXPECT_GT(took->load(), 0);
}

TEST_F(CudaStreamTest, EventsAndPinnedMemoryGoRound) {
  const auto executable = Compile(kSelu);
  const auto module = Load(*executable);
  const auto argument = Put(Vector({1, 2, 3, 4}));
  const auto run = [&] { return stream_->Run(LaunchOf(module, *executable, {argument})).Await(); };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run().ok());
  cuda_->ForgetCalls();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(run().ok());
  for (const char* function : {"cuEventCreate", "cuMemHostAlloc", "cuMemAllocFromPoolAsync"}) {
    EXPECT_EQ(cuda_->CountOf(function), 0) << function;
  }
}

}  // namespace
}  // namespace acceld::testing
