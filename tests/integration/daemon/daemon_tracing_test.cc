// Functions of trees that C++ programs trace, differentiate and vectorize, on the real daemon.

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "client/tracing.h"
#include "client/tracing/ops/optim.h"
#include "tests/integration/daemon/daemon_fixture.h"

namespace acceld::testing {
namespace {

using client::Array;
using client::Client;
using client::Jit;
using client::Static;
using client::Tensor;
using ir::DType;
using ::testing::FloatNear;
using ::testing::Pointwise;

std::vector<float> Floats(const Array& array) {
  const absl::StatusOr<ir::Literal> value = array.Fetch();
  EXPECT_TRUE(value.ok()) << value.status();
  std::vector<float> numbers;
  if (!value.ok()) return numbers;
  const std::string bytes = value->DenseBytes();
  for (int64_t i = 0; i < value->type().num_elements(); ++i) {
    numbers.push_back(static_cast<float>(ir::ReadFloat(value->type().dtype, bytes.data(), i)));
  }
  return numbers;
}

auto Near(std::vector<float> expected) { return Pointwise(FloatNear(1e-5f), std::move(expected)); }

class DaemonTracingTest : public DaemonTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(Start());
    client_ = Connect();
  }
  void TearDown() override {
    client_.reset();
    DaemonTest::TearDown();
  }
  Array Upload(ir::Dims dims, const std::vector<float>& values) {
    return *client_->Upload(ir::Literal::FromValues<float>({DType::kF32, std::move(dims)}, values));
  }

  std::shared_ptr<Client> client_;
};

TEST_F(DaemonTracingTest, AFunctionIsWrittenOnceForAllShapes) {
  const auto selu =
      Jit(client_, [](const Tensor& x) { return 1.0507 * Where(x > 0, x, 1.6733 * (Exp(x) - 1)); });
  EXPECT_THAT(Floats(*selu(Upload({2}, {1, -1}))), Near({1.0507f, -1.1113549f}));
  EXPECT_THAT(Floats(*selu(Upload({1, 1}, {2}))), Near({2.1014f}));
  const auto gram = Jit(client_, [](const Tensor& x) { return MatMul(x, Transpose(x)); });
  EXPECT_THAT(Floats(*gram(Upload({2, 2}, {1, 2, 3, 4}))), Near({5, 11, 11, 25}));
}

TEST_F(DaemonTracingTest, TheGradientOfASumOfLogistics) {
  const auto gradient =
      Jit(client_, client::Grad([](const Tensor& x) { return Sum(Logistic(x)); }));
  EXPECT_THAT(Floats(*gradient(Upload({3}, {0, 1, 2}))), Near({0.25f, 0.19661197f, 0.10499357f}));
}

// Two walks of four steps; the expected numbers are those of jax.random with PRNGKey(7).
TEST_F(DaemonTracingTest, RandomWalksDrawWhatJaxDraws) {
  const auto walk = [](const Tensor& key) {
    const auto step = [](const Tensor& position, const Tensor& step_key) {
      const Tensor next = position + client::random::Normal(step_key, {});
      return std::pair(next, next);
    };
    return Scan(step, client::Zeros({}), client::random::Split(key, 4)).second;
  };
  const auto walks = Jit(client_, [&](uint32_t seed) {
    return client::Vmap(walk)(client::random::Split(client::random::Key(seed), 2));
  });
  EXPECT_THAT(Floats(*walks(Static(7u))),
              Near({-0.88208967f, 1.3613026f, -0.8899765f, -1.5241704f, -0.69028670f, -1.3992933f,
                    -0.33202613f, 1.3145031f}));
}

TEST_F(DaemonTracingTest, AFunctionThatIsCalledAHundredTimesIsCompiledOnce) {
  int traced = 0;
  const auto f = Jit([&](const Tensor& x) {
    ++traced;
    return Sin(x) + 1;
  });
  const auto g = Jit(client_, [&](const Tensor& x) {
    Tensor y = x;
    for (int i = 0; i < 100; ++i) y = f(y);
    return y;
  });
  float expected = 0;
  for (int i = 0; i < 100; ++i) expected = std::sin(expected) + 1;
  for (int i = 0; i < 3; ++i) EXPECT_THAT(Floats(*g(Upload({1}, {0}))), Near({expected}));
  EXPECT_EQ(traced, 1);
  EXPECT_EQ(Stats().compiles, 1u);
}

template <typename T>
struct Line {
  T slope, offset;
  static auto Fields(auto& line) { return std::tie(line.slope, line.offset); }
};
template <typename T>
struct Training {
  Line<T> line;
  client::optim::Adam::State<Line<T>> memory;
  static auto Fields(auto& training) { return std::tie(training.line, training.memory); }
};

TEST_F(DaemonTracingTest, TreesAreTrainedAndGivenUpByEveryStep) {
  const client::optim::Adam adam{.learning_rate = 0.1};
  const auto init = Jit(client_, [&]() {
    const Line<Tensor> line = {client::Zeros({}), client::Zeros({})};
    return Training<Tensor>{line, adam.Init(line)};
  });
  const auto step = Jit(client_,
                        [&](const Training<Tensor>& training, const Tensor& x, const Tensor& y) {
                          const auto loss = [&](const Line<Tensor>& line) {
                            return Mean(Square(line.slope * x + line.offset - y));
                          };
                          const auto [value, gradient] = client::ValueAndGrad(loss)(training.line);
                          auto [line, memory] =
                              adam.Update(gradient, training.memory, training.line);
                          return std::pair(Training<Tensor>{line, memory}, value);
                        },
                        {.name = "fit", .donate = {0}});
  const Array x = Upload({3}, {0, 1, 2}), y = Upload({3}, {1, 3, 5});
  Training<Array> training = *init();
  const Array given_up = training.line.slope;
  Array loss;
  for (int i = 0; i < 300; ++i) std::tie(training, loss) = *step(training, x, y);
  EXPECT_THAT(Floats(training.line.slope), Pointwise(FloatNear(0.01f), {2.f}));
  EXPECT_THAT(Floats(training.line.offset), Pointwise(FloatNear(0.01f), {1.f}));
  EXPECT_LT(Floats(loss)[0], 1e-3f);
  EXPECT_TRUE(absl::IsFailedPrecondition(given_up.Await()));
}

TEST_F(DaemonTracingTest, StaticArgumentsAreCompiledFor) {
  enum class Kind { kSum, kMean };
  const auto power = Jit(client_, [](const Tensor& x, int n, const std::string& kind, Kind reduce) {
    Tensor y = x;
    for (int i = 1; i < n; ++i) y = y * x;
    if (kind == "negative") y = -y;
    return reduce == Kind::kSum ? Sum(y) : Mean(y);
  });
  const Array x = Upload({2}, {1, 2});
  EXPECT_THAT(Floats(*power(x, Static(3), Static("plain"), Static(Kind::kSum))), Near({9}));
  EXPECT_THAT(Floats(*power(x, Static(2), Static("negative"), Static(Kind::kMean))), Near({-2.5f}));
  EXPECT_THAT(Floats(*power(x, Static(3), Static("plain"), Static(Kind::kSum))), Near({9}));
  EXPECT_EQ(Stats().compiles, 2u);
}

TEST_F(DaemonTracingTest, AnErrorOfTheTraceIsThatOfTheCall) {
  const auto f = Jit(client_, [](const Tensor& x) { return MatMul(x, x); }, {.name = "square"});
  const absl::Status status = f(Upload({2, 3}, {1, 2, 3, 4, 5, 6})).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("square: MatMul: the rows of [2,3]"));
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("daemon_tracing_test.cc:"));
  EXPECT_FALSE(f(Array()).ok());
}

// Of the values between the arguments and the result of a checkpoint, only those of one are in
// memory at a time.
TEST_F(DaemonTracingTest, CheckpointsTradeMemoryForTime) {
  const auto block = [](Tensor y) {
    for (int layer = 0; layer < 8; ++layer) y = Sin(CumSum(y, 0)) * y;
    return y;
  };
  const auto arena_bytes = [&](const auto& f) -> uint64_t {
    const auto loss = [&](Tensor y) {
      for (int i = 0; i < 8; ++i) y = f(y);
      return Sum(y);
    };
    const ir::TensorType type{DType::kF32, {256, 1024}};
    const absl::StatusOr<client::Program> program = Jit(client_, client::Grad(loss)).Trace(type);
    EXPECT_TRUE(program.ok()) << program.status();
    if (!program.ok()) return 0;
    const absl::StatusOr<CompileInfo> compiled = client_->Compile(*program, {type}).Await();
    EXPECT_TRUE(compiled.ok()) << compiled.status();
    return compiled.ok() ? compiled->memory->arena_bytes : 0;
  };
  const uint64_t kept = arena_bytes(block);
  const uint64_t computed_again = arena_bytes(client::Checkpoint(block));
  EXPECT_GT(computed_again, 0u);
  EXPECT_LT(2 * computed_again, kept);
  EXPECT_THAT(Floats(*Jit(client_, client::Grad([&](const Tensor& x) {
                            return Sum(client::Checkpoint(block)(x));
                          }))(Upload({2}, {0.5f, 1}))),
              Pointwise(FloatNear(1e-5f), Floats(*Jit(client_, client::Grad([&](const Tensor& x) {
                                                        return Sum(block(x));
                                                      }))(Upload({2}, {0.5f, 1})))));
}

}  // namespace
}  // namespace acceld::testing
