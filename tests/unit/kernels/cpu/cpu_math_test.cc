// Accuracy of the polynomial f32 functions, in units of the last place against double libm, swept
// over all exponents.

#include <cmath>
#include <functional>
#include <limits>

#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct MathCase {
  const char* name;
  ScalarOp op;
  std::function<double(double)> exact;
  double max_ulp;
};

// The spacing of floats at `value`.
double UlpAt(double value) {
  const double magnitude = std::max(std::abs(value), 0x1p-126);
  return std::ldexp(1.0, std::ilogb(magnitude) - 23);
}

std::vector<float> Sweep() {
  std::vector<float> values;
  // A prime stride visits every exponent and sign with changing mantissas.
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 4099) {
    float value;
    const auto narrow = static_cast<uint32_t>(bits);
    std::memcpy(&value, &narrow, sizeof(value));
    if (!std::isnan(value)) values.push_back(value);
  }
  // Densely where results are neither constant nor the argument itself.
  for (int i = -120'000; i <= 120'000; ++i) values.push_back(0.0009f * static_cast<float>(i));
  for (int i = -50'000; i <= 50'000; ++i) values.push_back(1.0f + static_cast<float>(i) * 0x1p-23f);
  // Next to multiples of pi/2, where little is left of large arguments.
  for (double k = 1; k < 0x1p127; k = std::floor(k * 1.001) + 1) {
    const auto near = static_cast<float>(k * 0x1.921fb54442d18p+0);
    values.insert(values.end(), {near, -near, std::nextafterf(near, 0.0f)});
  }
  // One that is nearer to a multiple than most.
  values.insert(values.end(), {16367173.0f * 0x1p72f, -16367173.0f * 0x1p72f});
  return values;
}

std::vector<float> Evaluate(ScalarOp op, const std::vector<float>& x) {
  const Kernel kernel = MapKernel("k", DType::kF32, DType::kF32, static_cast<int64_t>(x.size()),
                                  [&](KernelBuilder& b, Var v) { return b.Apply(op, {v}); });
  const auto results = RunPlan(PlanOf(kernel), {BytesOf(x)});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? ValuesOf<float>((*results)[0]) : std::vector<float>();
}

class MathAccuracyTest : public testing::TestWithParam<MathCase> {};

TEST_P(MathAccuracyTest, StaysWithinItsBound) {
  const MathCase& param = GetParam();
  const std::vector<float> x = Sweep();
  const std::vector<float> y = Evaluate(param.op, x);
  ASSERT_EQ(y.size(), x.size());
  double worst = 0;
  float worst_x = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = param.exact(x[i]);
    const auto rounded = static_cast<float>(exact);
    if (std::isnan(rounded)) {
      EXPECT_TRUE(std::isnan(y[i])) << param.name << "(" << x[i] << ") = " << y[i];
      continue;
    }
    if (std::isinf(rounded) || std::isinf(y[i])) {
      // Around the overflow threshold the neighbour is as good.
      const float largest = std::numeric_limits<float>::max();
      EXPECT_TRUE(y[i] == rounded || (std::abs(y[i]) >= largest && std::abs(rounded) >= largest))
          << param.name << "(" << x[i] << ") = " << y[i] << ", expected " << rounded;
      continue;
    }
    const double error = std::abs(y[i] - exact) / UlpAt(exact);
    if (error > worst) {
      worst = error;
      worst_x = x[i];
    }
  }
  RecordProperty("worst_ulp", std::to_string(worst));
  std::printf("%s: %.3f ULP at %a\n", param.name, worst, worst_x);
  EXPECT_LE(worst, param.max_ulp) << param.name << " at " << worst_x;
}

INSTANTIATE_TEST_SUITE_P(
    All, MathAccuracyTest,
    testing::Values(
        MathCase{"exp", ScalarOp::kExp, [](double x) { return std::exp(x); }, 0.9},
        MathCase{"expm1", ScalarOp::kExpm1, [](double x) { return std::expm1(x); }, 1.5},
        MathCase{"log", ScalarOp::kLog, [](double x) { return std::log(x); }, 0.8},
        MathCase{"log1p", ScalarOp::kLog1p, [](double x) { return std::log1p(x); }, 0.9},
        MathCase{"logistic", ScalarOp::kLogistic, [](double x) { return 1 / (1 + std::exp(-x)); },
                 2.5},
        MathCase{"sin", ScalarOp::kSin, [](double x) { return std::sin(x); }, 0.6},
        MathCase{"cos", ScalarOp::kCos, [](double x) { return std::cos(x); }, 0.6},
        MathCase{"rsqrt", ScalarOp::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, 1.3},
        MathCase{"tanh", ScalarOp::kTanh, [](double x) { return std::tanh(x); }, 2.5}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(MathEdgeTest, SignedZerosInfinitiesAndNaN) {
  const std::vector<float> edges = {0.0f, -0.0f, kInfinity, -kInfinity, NAN};
  // Of one element, and of vectors.
  for (const size_t repeats : {size_t{1}, size_t{16}}) {
    std::vector<float> x;
    for (size_t k = 0; k < repeats; ++k) x.insert(x.end(), edges.begin(), edges.end());
    const auto Expect = [&](ScalarOp op, std::vector<float> expected) {
      expected.push_back(NAN);
      const std::vector<float> y = Evaluate(op, x);
      ASSERT_EQ(y.size(), x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        const float e = expected[i % edges.size()];
        if (std::isnan(e)) {
          EXPECT_TRUE(std::isnan(y[i])) << NameOf(op) << "(" << x[i] << ") = " << y[i];
        } else {
          EXPECT_EQ(y[i], e) << NameOf(op) << "(" << x[i] << ")";
          EXPECT_EQ(std::signbit(y[i]), std::signbit(e)) << NameOf(op) << "(" << x[i] << ")";
        }
      }
    };
    Expect(ScalarOp::kExp, {1, 1, kInfinity, 0});
    Expect(ScalarOp::kExpm1, {0, -0.0f, kInfinity, -1});
    Expect(ScalarOp::kLog, {-kInfinity, -kInfinity, kInfinity, NAN});
    Expect(ScalarOp::kLog1p, {0, -0.0f, kInfinity, NAN});
    Expect(ScalarOp::kRsqrt, {kInfinity, -kInfinity, 0, NAN});
    Expect(ScalarOp::kSin, {0, -0.0f, NAN, NAN});
    Expect(ScalarOp::kCos, {1, 1, NAN, NAN});
    Expect(ScalarOp::kTanh, {0, -0.0f, 1, -1});
    Expect(ScalarOp::kLogistic, {0.5f, 0.5f, 1, 0});
  }
}

}  // namespace
}  // namespace acceld::kernels::cpu
