// GPUs, as the daemon finds them: through libraries that stand in for the driver and its compiler
// and run kernels on the host's processor (tests/support/fake_cuda).

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "client/tracing.h"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using client::Function;
using client::Tensor;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

class DaemonCudaTest : public DaemonTest {
 protected:
  DaemonCudaTest() {
    setenv("LD_LIBRARY_PATH", getenv("ACCELD_FAKE_CUDA_DIR"), 1);
    setenv("ACCELD_FAKE_CUDA_DEVICES", "2", 1);
    unsetenv("ACCELD_FAKE_CUDA_BREAK");
  }

  // Those of this machine are otherwise out of the way.
  const std::vector<std::string> kGpus = {"--cuda-devices", "all"};

  static ir::Literal Full(int64_t size, float value) {
    return ir::Literal::Filled({ir::DType::kF32, {size}}, value);
  }
};

TEST_F(DaemonCudaTest, GpusComeBeforeTheProcessor) {
  ASSERT_NO_FATAL_FAILURE(Start(kGpus));
  const std::vector<client::DeviceInfo> devices = Devices();
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].kind, "cuda");
  EXPECT_EQ(devices[1].name, "Fake GPU 1");
  EXPECT_EQ(devices[2].kind, "cpu");
  EXPECT_THAT(Accelctl({"devices"}).output, HasSubstr("Fake GPU 0"));
}

TEST_F(DaemonCudaTest, OnlyTheNamedOnesAreUsed) {
  ASSERT_NO_FATAL_FAILURE(Start({"--cuda-devices", "1", "--cuda-memory", "8MiB"}));
  const std::vector<client::DeviceInfo> devices = Devices();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].name, "Fake GPU 1");
  EXPECT_EQ(devices[0].memory_limit_bytes, 8u << 20);
  EXPECT_EQ(Stop(), 0);
  ASSERT_NO_FATAL_FAILURE(Start({"--cuda-devices", "none"}));
  EXPECT_EQ(Devices().size(), 1u);
  EXPECT_THAT(Accelctl({"devices"}).output, HasSubstr("no cuda device: none are wanted"));
}

TEST_F(DaemonCudaTest, ArraysGoFromAnyDeviceToAnyOther) {
  ASSERT_NO_FATAL_FAILURE(Start(kGpus));
  const std::shared_ptr<Client> client = Connect();
  Function add(client, [](const Tensor& a, const Tensor& b) { return a + b; });
  const Array on_gpu = *client->Upload(Full(100'000, 1), 0);
  const Array on_cpu = *client->Upload(Full(100'000, 2), 2);
  const Array a = *add.With({.device = 0})(on_gpu, on_cpu);
  const Array b = *add.With({.device = 1})(a, on_gpu);
  const Array c = *add.With({.device = 2})(b, a);
  const Array d = *add.With({.device = 0})(c, b);
  EXPECT_TRUE(*d.Fetch() == Full(100'000, 11));
  EXPECT_TRUE(*c.Fetch() == Full(100'000, 7));
  // One for the GPUs, one for the processor.
  EXPECT_EQ(Stats().compiles, 2u);
}

// Operands and results go down and up between kernels; others have the GPU meanwhile.
TEST_F(DaemonCudaTest, ProgramsAskTheirClientInLoopsAndBranches) {
  ASSERT_NO_FATAL_FAILURE(Start(kGpus));
  const std::shared_ptr<Client> client = Connect(), other = Connect();
  const client::Program program = Parse(R"(
    func.func @main(%n: tensor<i32>, %x: tensor<20000xf32>) -> (tensor<20000xf32>, tensor<i32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %t = stablehlo.create_token : !stablehlo.token
      %r:3 = stablehlo.while(%i = %zero, %y = %x, %k = %t) : tensor<i32>, tensor<20000xf32>, !stablehlo.token
      cond {
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %z = stablehlo.add %y, %x : tensor<20000xf32>
        %s:2 = "stablehlo.case"(%i) ({
          stablehlo.return %k, %z : !stablehlo.token, tensor<20000xf32>
        }, {
          %c:2 = stablehlo.custom_call @acceld.host_callback(%k, %z) {acceld.callback = 0 : i64, has_side_effect = true} : (!stablehlo.token, tensor<20000xf32>) -> (!stablehlo.token, tensor<20000xf32>)
          stablehlo.return %c#0, %c#1 : !stablehlo.token, tensor<20000xf32>
        }) : (tensor<i32>) -> (!stablehlo.token, tensor<20000xf32>)
        %k1 = stablehlo.custom_call @acceld.host_callback(%s#0, %i) {acceld.callback = 1 : i64, has_side_effect = true} : (!stablehlo.token, tensor<i32>) -> !stablehlo.token
        %i1 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %i1, %s#1, %k1 : tensor<i32>, tensor<20000xf32>, !stablehlo.token
      }
      return %r#1, %r#0 : tensor<20000xf32>, tensor<i32>
    })");
  std::vector<int> turns;
  const client::HostCallback twice =
      [&](auto operands) -> absl::StatusOr<std::vector<ir::Literal>> {
    Function increment(other, [](const Tensor& x) { return x + 1; });
    EXPECT_TRUE(*increment(*other->Upload(Full(16, 1), 0))->Fetch() == Full(16, 2));
    float value = 0;
    std::memcpy(&value, operands[0].bytes().data(), sizeof(value));
    return std::vector<ir::Literal>{Full(20'000, 2 * value)};
  };
  const client::HostCallback note = [&](auto operands) -> absl::StatusOr<std::vector<ir::Literal>> {
    turns.push_back(operands[0].bytes()[0]);
    return std::vector<ir::Literal>();
  };
  const Array n = *client->Upload(ir::Literal::FromValues<int32_t>({ir::DType::kI32, {}}, {3}), 0);
  const Array x = *client->Upload(Full(20'000, 1), 0);
  for (int i = 0; i < 2; ++i) {
    turns.clear();
    const auto results = client->Execute(program, {n, x}, 0, {.callbacks = {twice, note}});
    ASSERT_TRUE(results.ok()) << results.status();
    const auto value = (*results)[0].Fetch();
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_TRUE(*value == Full(20'000, 14));  // ((1 + 1) + 1) * 2, and (6 + 1) * 2
    EXPECT_THAT(turns, ::testing::ElementsAre(0, 1, 2));
  }
  const auto fails = client->Execute(
      program, {n, x}, 0,
      {.callbacks = {[](auto) { return absl::DataLossError("it is gone"); }, note}});
  EXPECT_EQ((*fails)[0].Await().code(), absl::StatusCode::kDataLoss) << (*fails)[0].Await();
  EXPECT_THAT(std::string((*fails)[0].Await().message()), HasSubstr("it is gone"));
}

TEST_F(DaemonCudaTest, CompiledProgramsOutliveTheDaemon) {
  ASSERT_NO_FATAL_FAILURE(Start(kGpus));
  (void)RunOnce(Parse(kIncrementText), Full(16, 1), Full(16, 2));
  EXPECT_EQ(Stop(), 0);
  ASSERT_NO_FATAL_FAILURE(Start(kGpus));
  (void)RunOnce(Parse(kIncrementText), Full(16, 2), Full(16, 3));
  EXPECT_EQ(Stats().compiles, 0u);
  EXPECT_EQ(Stats().cache_hits_disk, 1u);
}

// Real and imaginary parts.
std::vector<float> FloatsOf(const ir::Literal& literal) {
  const std::string bytes = literal.DenseBytes();
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Routines of all libraries, and one that the host computes.
constexpr char kRoutinesText[] = R"(
func.func @main(%a: tensor<2x4x4xf32>, %b: tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xcomplex<f32>>, tensor<2x4x4xf16>) {
  %l = stablehlo.cholesky %a, lower = true : tensor<2x4x4xf32>
  %x = "stablehlo.triangular_solve"(%l, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2x4x3xf32>
  %z = stablehlo.complex %x, %zero : tensor<2x4x3xcomplex<f32>>
  %f = stablehlo.fft %z, type = IFFT, length = [4, 3] : (tensor<2x4x3xcomplex<f32>>) -> tensor<2x4x3xcomplex<f32>>
  %half = stablehlo.convert %a : (tensor<2x4x4xf32>) -> tensor<2x4x4xf16>
  %h = stablehlo.cholesky %half, lower = false : tensor<2x4x4xf16>
  return %x, %f, %h : tensor<2x4x3xf32>, tensor<2x4x3xcomplex<f32>>, tensor<2x4x4xf16>
}
)";

TEST_F(DaemonCudaTest, RoutinesGiveWhatTheProcessorGives) {
  const std::string dumps = folder_.path() + "/dumps";
  ASSERT_NO_FATAL_FAILURE(Start({"--cuda-devices", "all", "--dump-dir", dumps}));
  EXPECT_THAT(Accelctl({"devices"}).output, Not(HasSubstr("no cu")));
  const std::shared_ptr<Client> client = Connect();
  std::vector<float> a(32), b(24);
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t row = i / 4 % 4, column = i % 4;
    a[i] =
        row == column ? 5.0f + static_cast<float>(i % 3) : 1.0f / static_cast<float>(row + column);
  }
  std::iota(b.begin(), b.end(), -9.0f);
  const auto run = [&](uint32_t device) {
    return client->Execute(
        Parse(kRoutinesText),
        {*client->Upload(ir::Literal::FromValues<float>({ir::DType::kF32, {2, 4, 4}}, a), device),
         *client->Upload(ir::Literal::FromValues<float>({ir::DType::kF32, {2, 4, 3}}, b), device)},
        device);
  };
  const std::vector<Array> on_gpu = *run(0), on_cpu = *run(2);
  for (size_t i = 0; i < on_gpu.size(); ++i) {
    const auto actual = on_gpu[i].Fetch(), expected = on_cpu[i].Fetch();
    ASSERT_TRUE(actual.ok() && expected.ok()) << actual.status() << expected.status();
    if (i == 2) {
      EXPECT_TRUE(*actual == *expected);
    } else {
      EXPECT_THAT(FloatsOf(*actual), Pointwise(FloatNear(1e-4f), FloatsOf(*expected)));
    }
  }
  std::string routines;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dumps)) {
    if (entry.path().filename() == "85-routines.txt") routines += ReadText(entry.path());
  }
  EXPECT_THAT(routines, HasSubstr("fft kind=1 rank=2(tensor<2x4x3xcomplex<f32>>) -> "
                                  "(tensor<2x4x3xcomplex<f32>>): on the device\n"));
  EXPECT_THAT(routines, HasSubstr("on the host, since no library has this type of elements"));
}

// Forward, and the gradients of the input and of the kernel.
constexpr char kConvolutionsText[] = R"(
func.func @main(%x: tensor<2x9x8x4xf32>, %k: tensor<3x3x4x8xf32>) -> (tensor<2x9x8x8xf32>, tensor<2x9x8x4xf32>, tensor<3x3x4x8xf32>) {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x9x8x8xf32>
  %dx = stablehlo.convolution(%y, %k) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x8xf32>, tensor<3x3x4x8xf32>) -> tensor<2x9x8x4xf32>
  %dk = stablehlo.convolution(%x, %y) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x8x4xf32>, tensor<2x9x8x8xf32>) -> tensor<3x3x4x8xf32>
  return %y, %dx, %dk : tensor<2x9x8x8xf32>, tensor<2x9x8x4xf32>, tensor<3x3x4x8xf32>
}
)";

class DaemonCudaConvolutionTest : public DaemonCudaTest {
 protected:
  // Compares both devices' results; what the GPU's program is.
  std::string RunConvolutions() {
    const std::string dumps = folder_.path() + "/dumps";
    Start({"--cuda-devices", "all", "--dump-dir", dumps});
    const std::shared_ptr<Client> client = Connect();
    // Integers, whose sums are the same in any order.
    std::vector<float> x(2 * 9 * 8 * 4), k(3 * 3 * 4 * 8);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 5) - 2;
    for (size_t i = 0; i < k.size(); ++i) k[i] = static_cast<float>(i * 5 % 7) - 3;
    const auto run = [&](uint32_t device) {
      const ir::TensorType x_type = {ir::DType::kF32, {2, 9, 8, 4}};
      const ir::TensorType k_type = {ir::DType::kF32, {3, 3, 4, 8}};
      return client->Execute(Parse(kConvolutionsText),
                             {*client->Upload(ir::Literal::FromValues<float>(x_type, x), device),
                              *client->Upload(ir::Literal::FromValues<float>(k_type, k), device)},
                             device);
    };
    const std::vector<Array> on_gpu = *run(0), on_cpu = *run(2);
    for (size_t i = 0; i < on_gpu.size(); ++i) {
      const auto actual = on_gpu[i].Fetch(), expected = on_cpu[i].Fetch();
      EXPECT_TRUE(actual.ok() && expected.ok()) << actual.status() << expected.status();
      if (!actual.ok() || !expected.ok()) continue;
      EXPECT_TRUE(*actual == *expected) << i;
    }
    std::string programs;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dumps)) {
      if (entry.path().filename() == "80-program.txt") programs += ReadText(entry.path());
    }
    return programs;
  }
};

TEST_F(DaemonCudaConvolutionTest, TheLibraryGivesWhatTheProcessorGives) {
  const std::string program = RunConvolutions();
  EXPECT_THAT(program, HasSubstr("convolution f32"));
  EXPECT_THAT(program, Not(HasSubstr("convolve_")));
}

TEST_F(DaemonCudaConvolutionTest, SoDoKernelsWhereThereIsNoLibrary) {
  const std::filesystem::path libraries = folder_.path() + "/libraries";
  std::filesystem::create_directory(libraries);
  for (const auto& entry : std::filesystem::directory_iterator(getenv("ACCELD_FAKE_CUDA_DIR"))) {
    const std::string name = entry.path().filename();
    if (name.find("cudnn") == std::string::npos) {
      std::filesystem::create_symlink(entry.path(), libraries / name);
    }
  }
  // One that this machine may have is out of the way: another library is found in its place.
  std::filesystem::create_symlink(
      std::filesystem::path(getenv("ACCELD_FAKE_CUDA_DIR")) / "libcufft.so.12",
      libraries / "libcudnn.so.9");
  setenv("LD_LIBRARY_PATH", libraries.c_str(), 1);
  const std::string program = RunConvolutions();
  EXPECT_THAT(program, HasSubstr("convolve_3"));
  EXPECT_THAT(program, Not(HasSubstr("convolution f32")));
  EXPECT_THAT(Accelctl({"devices"}).output, HasSubstr("cuDNN has no cudnn"));
}

// Two heads, causal, scaled.
constexpr char kAttentionText[] = R"(
func.func @main(%x: tensor<2x20x16xf32>) -> tensor<2x20x16xf32> {
  %s = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x20x16xf32>, tensor<2x20x16xf32>) -> tensor<2x20x20xf32>
  %scale = stablehlo.constant dense<0.25> : tensor<2x20x20xf32>
  %scaled = stablehlo.multiply %s, %scale : tensor<2x20x20xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x20x20xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x20x20xi32>
  %keeps = stablehlo.compare GE, %i, %j, SIGNED : (tensor<2x20x20xi32>, tensor<2x20x20xi32>) -> tensor<2x20x20xi1>
  %fill = stablehlo.constant dense<-1.0e9> : tensor<2x20x20xf32>
  %masked = stablehlo.select %keeps, %scaled, %fill : tensor<2x20x20xi1>, tensor<2x20x20xf32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%masked init: %ninf) applies stablehlo.maximum across dimensions = [2] : (tensor<2x20x20xf32>, tensor<f32>) -> tensor<2x20xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x20xf32>) -> tensor<2x20x20xf32>
  %d = stablehlo.subtract %masked, %mb : tensor<2x20x20xf32>
  %e = stablehlo.exponential %d : tensor<2x20x20xf32>
  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x20x20xf32>, tensor<f32>) -> tensor<2x20xf32>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1] : (tensor<2x20xf32>) -> tensor<2x20x20xf32>
  %p = stablehlo.divide %e, %zb : tensor<2x20x20xf32>
  %o = stablehlo.dot_general %p, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x20x20xf32>, tensor<2x20x16xf32>) -> tensor<2x20x16xf32>
  return %o : tensor<2x20x16xf32>
}
)";

TEST_F(DaemonCudaTest, AttentionIsOneKernel) {
  const std::string dumps = folder_.path() + "/dumps";
  ASSERT_NO_FATAL_FAILURE(Start({"--cuda-devices", "all", "--dump-dir", dumps}));
  const std::shared_ptr<Client> client = Connect();
  std::vector<float> x(2 * 20 * 16);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
  const auto run = [&](uint32_t device) {
    const ir::Literal literal = ir::Literal::FromValues<float>({ir::DType::kF32, {2, 20, 16}}, x);
    return client->Execute(Parse(kAttentionText), {*client->Upload(literal, device)}, device);
  };
  const auto actual = (*run(0))[0].Fetch();
  ASSERT_TRUE(actual.ok()) << actual.status();
  std::string program;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dumps)) {
    if (entry.path().filename() == "80-program.txt") program += ReadText(entry.path());
  }
  EXPECT_THAT(program, ::testing::StartsWith("attention_0<<<2, 128>>>"));
  EXPECT_EQ(std::count(program.begin(), program.end(), '\n'), 1) << program;
  const auto expected = (*run(2))[0].Fetch();
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_THAT(FloatsOf(*actual), Pointwise(FloatNear(1e-5f), FloatsOf(*expected)));
}

TEST_F(DaemonCudaTest, ALoopOnTheDeviceEndsWhenItsClientGoes) {
  ASSERT_NO_FATAL_FAILURE(Start(kGpus));
  std::shared_ptr<Client> busy = Connect();
  const Array endless = busy->Execute(Parse(kCountText), {*busy->Upload(Int64(kEndless))})->front();
  ASSERT_TRUE(IsQueued(1));
  busy.reset();
  const std::shared_ptr<Client> client = Connect();
  const Array x = *client->Upload(Full(16, 1));
  EXPECT_TRUE(*client->Execute(Parse(kIncrementText), {x})->front().Fetch() == Full(16, 2));
}

TEST_F(DaemonCudaTest, WhoAsksForMoreThanThereIsDisturbsNobody) {
  ASSERT_NO_FATAL_FAILURE(
      Start({"--cuda-devices", "all", "--cuda-memory", "48MiB", "--host-memory", "0"}));
  std::vector<Process> workers;
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    workers.push_back(StartClient("mix", {absl::StrCat(seed), "0"}));
  }
  ASSERT_TRUE(Eventually([this] { return Stats().executions > 4; }));
  const std::shared_ptr<Client> greedy = Connect();
  Function spread(
      greedy, [](const Tensor& x) { return BroadcastTo(x, {4, 1024, 1024, 4}) + 1; }, "spread");
  const Array x = *greedy->Upload(Full(4, 1));
  for (int i = 0; i < 5; ++i) {
    const absl::Status refused = spread(x)->Await();
    EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("67108864 bytes do not fit"));
  }
  EXPECT_TRUE(*x.Fetch() == Full(4, 1));
  const uint64_t executions = Stats().executions;
  EXPECT_TRUE(Eventually([&] { return Stats().executions > executions + 4; }));
  for (Process& worker : workers) {
    EXPECT_FALSE(worker.HasEnded());
    worker.Signal(SIGKILL);
    EXPECT_EQ(worker.Wait(), 128 + SIGKILL);
  }
  EXPECT_EQ(ClientsLog(), "");
  // What they have published stays.
  EXPECT_TRUE(Eventually([&] { return Stats().sessions == 1 && Devices()[0].queued == 0; }));
}

TEST_F(DaemonCudaTest, ABrokenGpuTakesDownNeitherTheDaemonNorTheOtherOne) {
  // The third kernel there.
  setenv("ACCELD_FAKE_CUDA_BREAK", "3", 1);
  ASSERT_NO_FATAL_FAILURE(Start(kGpus));
  const std::shared_ptr<Client> client = Connect();
  const auto increment = [&](const Array& array, uint32_t device) {
    return client->Execute(Parse(kIncrementText), {array}, device)->front();
  };
  const Array x = *client->Upload(Full(16, 1), 0);
  const Array y = *client->Upload(Full(16, 1), 1);
  const Array before = increment(x, 0);
  ASSERT_TRUE(before.Await().ok());
  const Array second = increment(before, 0);
  ASSERT_TRUE(second.Await().ok());
  const Array broken = increment(second, 0);
  const absl::Status error = broken.Await();
  EXPECT_EQ(error.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(error.message()), HasSubstr("the device 0 (Fake GPU 0) is lost"));
  EXPECT_EQ(increment(broken, 0).Await(), error);
  // What is there is gone too.
  EXPECT_EQ(before.Fetch().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(client->Upload(Full(16, 1), 0)->Await().code(), absl::StatusCode::kUnavailable);
  // And all else goes on.
  EXPECT_TRUE(*increment(increment(y, 1), 1).Fetch() == Full(16, 3));
  EXPECT_TRUE(*increment(y, 2).Fetch() == Full(16, 2));
  // The daemon says so, and gives it to nobody.
  EXPECT_THAT(Devices()[0].error, HasSubstr("is lost"));
  EXPECT_EQ(Devices()[1].error, "");
  const std::shared_ptr<Client> one = Connect(), two = Connect();
  EXPECT_EQ(one->device(), 1u);
  EXPECT_EQ(two->device(), 1u);
  EXPECT_EQ(Stop(), 0);
}

}  // namespace
}  // namespace acceld::testing
