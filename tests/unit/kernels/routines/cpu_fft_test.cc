// Fourier transforms on the CPU, against their definition.

#include <cmath>

#include "tests/unit/kernels/routines/routine_runner.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;
using ir::TensorType;

enum Kind : int64_t { kForward, kInverse, kRealToComplex, kComplexToReal };

// The transform of one dimension of row-major `x`, by the definition.
std::vector<Complex> Transformed(const std::vector<Complex>& x, int64_t n, int64_t inner,
                                 int sign) {
  const double step = sign * 2 * 3.14159265358979323846 / static_cast<double>(n);
  std::vector<Complex> out(x.size());
  for (size_t at = 0; at < x.size(); ++at) {
    const int64_t k = static_cast<int64_t>(at) / inner % n;
    const auto first = static_cast<int64_t>(at) - k * inner;
    for (int64_t j = 0; j < n; ++j) {
      out[at] += x[first + j * inner] * std::polar(1.0, step * static_cast<double>(j * k % n));
    }
    if (sign > 0) out[at] /= static_cast<double>(n);
  }
  return out;
}

template <typename T>
std::vector<Complex> Widened(const std::vector<T>& values) {
  return std::vector<Complex>(values.begin(), values.end());
}

// The largest difference, relative to the largest value.
double Distance(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double distance = 0, largest = 1e-300;
  for (size_t i = 0; i < b.size(); ++i) {
    distance = std::max(distance, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return a.size() == b.size() ? distance / largest : 1e300;
}

template <typename R>
class CpuFftTest : public ::testing::Test {
 protected:
  using C = std::complex<R>;
  static constexpr double kTolerance = std::is_same_v<R, float> ? 1e-6 : 2e-15;

  static std::vector<Complex> RunComplex(Kind kind, int64_t rank, const ir::Dims& dims,
                                         const std::vector<C>& x) {
    const TensorType type{DTypeOf<C>(), dims};
    return Widened(
        ValuesOf<C>(RunCall({Routine::kFft, {kind, rank}, {type}, {type}}, {BytesOf(x)})[0]));
  }
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CpuFftTest, Types);

// Powers of each radix, mixtures, large primes and their multiples.
TYPED_TEST(CpuFftTest, LengthsOfAllKinds) {
  using C = std::complex<TypeParam>;
  for (const int64_t n : {1,  2,  3,  4,  5,  6,  7,   8,   9,   11,  13,  16,  17,  24,
                          25, 31, 49, 60, 64, 97, 121, 169, 210, 221, 256, 514, 1009}) {
    const auto x = Scattered<C>(3 * n, 1);
    EXPECT_LE(Distance(this->RunComplex(kForward, 1, {3, n}, x), Transformed(Widened(x), n, 1, -1)),
              this->kTolerance)
        << n;
    EXPECT_LE(Distance(this->RunComplex(kInverse, 1, {3, n}, x), Transformed(Widened(x), n, 1, 1)),
              this->kTolerance)
        << n;
  }
}

// Too long for the definition: what has few frequencies, each of which must be found again, and a
// signal of all frequencies, which must come back.
TYPED_TEST(CpuFftTest, LongSequences) {
  using C = std::complex<TypeParam>;
  // 5^7 has rows and columns that are no multiples of a cache line.
  for (const int64_t n : {1 << 16, 5 * 5 * 5 * 5 * 5 * 5 * 5, 3 * 5 * 7 * 1024, 1 << 18}) {
    const std::vector<int64_t> frequencies = {0, 1, 77, n / 3, n - 5};
    for (const Kind kind : {kForward, kInverse}) {
      std::vector<C> x(n);
      std::vector<Complex> expected(n);
      for (size_t i = 0; i < frequencies.size(); ++i) {
        const Complex amplitude(1.0 + static_cast<double>(i), 0.5);
        const double step = (kind == kForward ? 2 : -2) * 3.14159265358979323846 / n;
        for (int64_t j = 0; j < n; ++j) {
          x[j] +=
              C(amplitude * std::polar(1.0, step * static_cast<double>(j * frequencies[i] % n)));
        }
        expected[frequencies[i]] = amplitude * (kind == kForward ? static_cast<double>(n) : 1.0);
      }
      EXPECT_LE(Distance(this->RunComplex(kind, 1, {n}, x), expected), this->kTolerance) << n;
    }
    const auto x = Scattered<C>(2 * n, 1);
    const auto spectrum = this->RunComplex(kForward, 1, {2, n}, x);
    const auto back = this->RunComplex(kInverse, 1, {2, n}, {spectrum.begin(), spectrum.end()});
    EXPECT_LE(Distance(back, Widened(x)), this->kTolerance) << n;
  }
}

TYPED_TEST(CpuFftTest, LongSequencesOfRealNumbersAreThoseOfComplexOnes) {
  using C = std::complex<TypeParam>;
  using R = TypeParam;
  const int64_t n = 1 << 16, half = n / 2 + 1;
  const auto x = Scattered<R>(n, 1);
  const auto whole = this->RunComplex(kForward, 1, {n}, {x.begin(), x.end()});
  const TensorType real{DTypeOf<R>(), {n}}, complex{DTypeOf<C>(), {half}};
  const auto spectrum = ValuesOf<C>(
      RunCall({Routine::kFft, {kRealToComplex, 1}, {real}, {complex}}, {BytesOf(x)})[0]);
  EXPECT_LE(Distance(Widened(spectrum), {whole.begin(), whole.begin() + half}), this->kTolerance);
  const auto back = ValuesOf<R>(
      RunCall({Routine::kFft, {kComplexToReal, 1}, {complex}, {real}}, {BytesOf(spectrum)})[0]);
  EXPECT_LE(Distance(Widened(back), Widened(x)), this->kTolerance);
}

TYPED_TEST(CpuFftTest, TwoAndThreeDimensions) {
  using C = std::complex<TypeParam>;
  const auto x = Scattered<C>(2 * 6 * 5 * 34, 2);
  auto expected = Transformed(Transformed(Widened(x), 34, 1, -1), 5, 34, -1);
  EXPECT_LE(Distance(this->RunComplex(kForward, 2, {2, 6, 5, 34}, x), expected), this->kTolerance);
  expected = Transformed(expected, 6, 5 * 34, -1);
  EXPECT_LE(Distance(this->RunComplex(kForward, 3, {2, 6, 5, 34}, x), expected), this->kTolerance);
}

TYPED_TEST(CpuFftTest, RealOnesAreHalfOfASpectrumAndBack) {
  using C = std::complex<TypeParam>;
  for (const int64_t n : {1, 2, 5, 8, 34}) {
    const int64_t rows = 3, half = n / 2 + 1;
    const auto x = Scattered<TypeParam>(2 * rows * n, 3);
    const TensorType real{DTypeOf<TypeParam>(), {2, rows, n}},
        spectrum{DTypeOf<C>(), {2, rows, half}};
    const std::string bytes =
        RunCall({Routine::kFft, {kRealToComplex, 2}, {real}, {spectrum}}, {BytesOf(x)})[0];
    const auto whole = Transformed(Transformed(Widened(x), n, 1, -1), rows, n, -1);
    std::vector<Complex> expected;
    for (size_t i = 0; i < whole.size(); ++i) {
      if (static_cast<int64_t>(i) % n < half) expected.push_back(whole[i]);
    }
    EXPECT_LE(Distance(Widened(ValuesOf<C>(bytes)), expected), this->kTolerance) << n;
    const auto back = ValuesOf<TypeParam>(
        RunCall({Routine::kFft, {kComplexToReal, 2}, {spectrum}, {real}}, {bytes})[0]);
    EXPECT_LE(Distance(Widened(back), Widened(x)), this->kTolerance) << n;
  }
}

TYPED_TEST(CpuFftTest, ImaginaryPartsThatNoRealSequenceHasAreNotRead) {
  using C = std::complex<TypeParam>;
  const TensorType spectrum{DTypeOf<C>(), {3}}, real{DTypeOf<TypeParam>(), {4}};
  const std::vector<C> with = {{1, 7}, {2, 3}, {4, -9}}, without = {{1, 0}, {2, 3}, {4, 0}};
  const RoutineCall call{Routine::kFft, {kComplexToReal, 1}, {spectrum}, {real}};
  EXPECT_EQ(RunCall(call, {BytesOf(with)}), RunCall(call, {BytesOf(without)}));
}

TYPED_TEST(CpuFftTest, NothingOfNothing) {
  using C = std::complex<TypeParam>;
  EXPECT_TRUE(this->RunComplex(kForward, 2, {4, 0, 3}, std::vector<C>()).empty());
  EXPECT_TRUE(this->RunComplex(kInverse, 1, {4, 0}, std::vector<C>()).empty());
}

TEST(CpuFftThreadsTest, ResultsDoNotDependOnTheNumberOfThreads) {
  const TensorType type{DType::kC64, {40, 36, 50}};
  const RoutineCall call{Routine::kFft, {kForward, 3}, {type}, {type}};
  const std::string x = BytesOf(Scattered<std::complex<float>>(type.num_elements(), 4));
  EXPECT_EQ(RunCall(call, {x}, 1), RunCall(call, {x}, 3));
  const TensorType long_type{DType::kC64, {78125}};
  const RoutineCall long_call{Routine::kFft, {kInverse, 1}, {long_type}, {long_type}};
  const std::string y = BytesOf(Scattered<std::complex<float>>(long_type.num_elements(), 5));
  EXPECT_EQ(RunCall(long_call, {y}, 1), RunCall(long_call, {y}, 3));
}

}  // namespace
}  // namespace acceld::kernels::cpu
