#include <gmock/gmock.h>

#include <complex>

#include "common/ir/types/element.h"
#include "kernels/cpu/run_routine.h"
#include "kernels/cuda/program/program.h"
#include "kernels/ir/plan.h"
#include "server/hal/cuda/cuda_module.h"
#include "tests/support/eventually.h"
#include "tests/unit/hal/device_fixture.h"

// Routines by libraries on a device, compared with the CPU's.
namespace acceld::testing {
namespace {

using Complex = std::complex<double>;
using ir::DType;
using ir::TensorType;
using kernels::Routine;
using kernels::RoutineCall;
using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;
using Values = std::vector<Complex>;

constexpr DType kTypes[] = {DType::kF32, DType::kF64, DType::kC64, DType::kC128};

double ToleranceOf(DType dtype) { return ir::RealPartOf(dtype) == DType::kF64 ? 1e-10 : 2e-4; }

TensorType Of(DType dtype, std::initializer_list<int64_t> dims) {
  return {.dtype = dtype, .dims = dims};
}

Values ValuesOf(const ir::Literal& literal) {
  const std::string bytes = literal.DenseBytes();
  const DType dtype = literal.type().dtype;
  Values values;
  for (int64_t i = 0; i < literal.type().num_elements(); ++i) {
    if (ir::IsComplex(dtype)) {
      values.push_back(ir::ReadComplex(dtype, bytes.data(), i));
    } else if (dtype == DType::kI32) {
      int32_t value = 0;
      std::memcpy(&value, bytes.data() + 4 * i, 4);
      values.emplace_back(value);
    } else {
      values.emplace_back(ir::ReadFloat(dtype, bytes.data(), i));
    }
  }
  return values;
}

ir::Literal LiteralOf(const TensorType& type, const Values& values) {
  std::string bytes(static_cast<size_t>(type.size_bytes()), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const Complex value = values[static_cast<size_t>(i)];
    if (ir::IsComplex(type.dtype)) {
      ir::WriteComplex(type.dtype, bytes.data(), i, value);
    } else {
      ir::WriteFloat(type.dtype, bytes.data(), i, value.real());
    }
  }
  return *ir::Literal::FromBytes(type, bytes);
}

// Numbers without a pattern.
ir::Literal Scattered(const TensorType& type, int seed) {
  Values values;
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const auto x = static_cast<double>(i);
    values.emplace_back(std::sin(x * x + 7 * seed + 1), std::cos(3 * x + seed));
  }
  return LiteralOf(type, values);
}

// The same with `more` on the diagonals, and Hermitian.
ir::Literal Hermitian(const TensorType& type, double more) {
  Values values = ValuesOf(Scattered(type, 3));
  const int64_t n = type.dims.back();
  for (Complex* a = values.data(); a != values.data() + values.size(); a += n * n) {
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < r; ++c) a[c * n + r] = std::conj(a[r * n + c]);
      a[r * n + r] = a[r * n + r].real() + more;
    }
  }
  return LiteralOf(type, values);
}

RoutineCall CallOf(Routine routine, std::vector<int64_t> parameters,
                   std::vector<TensorType> operands, std::vector<TensorType> results) {
  RoutineCall call{.routine = routine,
                   .parameters = std::move(parameters),
                   .operands = std::move(operands),
                   .results = std::move(results)};
  EXPECT_TRUE(CheckRoutine(call).ok()) << CheckRoutine(call);
  return call;
}

void ExpectNear(const ir::Literal& actual, const ir::Literal& expected, double tolerance,
                const std::string& what) {
  const Values a = ValuesOf(actual), b = ValuesOf(expected);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(std::abs(a[i])) && std::isnan(std::abs(b[i]))) continue;
    ASSERT_LE(std::abs(a[i] - b[i]), tolerance * (1 + std::abs(b[i])))
        << what << ": element " << i << ": " << a[i] << " and " << b[i];
  }
}

class CudaRoutineTest : public CudaDeviceTest {
 protected:
  void SetUp() override { Open(); }

  // Open, with another toolkit.
  void OpenWith(const hal::cuda::Toolkit& toolkit) { Open({}, {}, toolkit); }

  static hal::Executable ExecutableOf(const RoutineCall& call) {
    using Space = kernels::Slice::Space;
    kernels::RoutineStep step{.call = call};
    for (size_t i = 0; i < call.operands.size(); ++i) {
      step.operands.push_back({.space = Space::kArgument,
                               .index = static_cast<uint32_t>(i),
                               .size_bytes = call.operands[i].size_bytes()});
    }
    for (size_t i = 0; i < call.results.size(); ++i) {
      step.results.push_back({.space = Space::kResult,
                              .index = static_cast<uint32_t>(i),
                              .size_bytes = call.results[i].size_bytes()});
    }
    kernels::cuda::CudaProgram program;
    program.steps.push_back({std::move(step), "a routine"});
    return {.arguments = call.operands,
            .results = call.results,
            .code = *kernels::cuda::Serialize(program)};
  }

  bool NeedsHost(const RoutineCall& call) {
    const auto module = Load(ExecutableOf(call));
    return static_cast<const hal::cuda::CudaModule&>(*module).needs_host();
  }

  std::vector<ir::Literal> RunOnDevice(const RoutineCall& call,
                                       const std::vector<ir::Literal>& operands) {
    cuda_->ForgetCalls();
    const hal::Executable executable = ExecutableOf(call);
    std::vector<std::shared_ptr<hal::Buffer>> arguments;
    for (const ir::Literal& operand : operands) arguments.push_back(Put(operand));
    hal::Launch launch = LaunchOf(Load(executable), executable, arguments);
    const std::vector<std::shared_ptr<hal::Buffer>> results = launch.results;
    const auto done = stream_->Run(std::move(launch)).Await();
    EXPECT_TRUE(done.ok()) << done.status();
    std::vector<ir::Literal> values;
    for (size_t i = 0; i < results.size(); ++i) {
      values.push_back(*Fetch(results[i], call.results[i]));
    }
    // Operands are others' values, too.
    for (size_t i = 0; i < operands.size(); ++i) {
      EXPECT_TRUE(*Fetch(arguments[i], call.operands[i]) == operands[i]) << ToString(call);
    }
    return values;
  }

  static std::vector<ir::Literal> RunOnHost(const RoutineCall& call,
                                            const std::vector<ir::Literal>& operands) {
    struct alignas(kernels::kBufferAlignment) Line {
      char bytes[kernels::kBufferAlignment];
    };
    std::vector<std::vector<Line>> memory;
    std::vector<void*> addresses;
    const auto add = [&](const TensorType& type) {
      memory.emplace_back(static_cast<size_t>(type.size_bytes()) / sizeof(Line) + 1);
      addresses.push_back(memory.back().data());
    };
    for (const ir::Literal& operand : operands) {
      add(operand.type());
      const std::string bytes = operand.DenseBytes();
      std::memcpy(addresses.back(), bytes.data(), bytes.size());
    }
    for (const TensorType& type : call.results) add(type);
    const volatile bool never = false;
    EXPECT_TRUE(kernels::cpu::RunRoutineOnHost(call, addresses.data(), nullptr, 1, &never).ok());
    std::vector<ir::Literal> results;
    for (size_t i = 0; i < call.results.size(); ++i) {
      results.push_back(*ir::Literal::FromBytes(
          call.results[i], std::string(static_cast<const char*>(addresses[operands.size() + i]),
                                       static_cast<size_t>(call.results[i].size_bytes()))));
    }
    return results;
  }

  // That the device gives what the CPU does, by a function of a library whose name begins so.
  void ExpectSame(const RoutineCall& call, const std::vector<ir::Literal>& operands,
                  const std::string& function, double tolerance = 0) {
    if (tolerance == 0) tolerance = ToleranceOf(call.operands[0].dtype);
    const auto actual = RunOnDevice(call, operands), expected = RunOnHost(call, operands);
    EXPECT_THAT(cuda_->calls(), Contains(StartsWith(function))) << ToString(call);
    for (size_t i = 0; i < actual.size(); ++i) {
      ExpectNear(actual[i], expected[i], tolerance, absl::StrCat(ToString(call), ": result ", i));
    }
  }

  // Where a NaN gets to is up to what a library takes for a pivot.
  void ExpectNanIn(const RoutineCall& call, const std::vector<ir::Literal>& operands) {
    for (const auto& results : {RunOnDevice(call, operands), RunOnHost(call, operands)}) {
      Complex sum;
      for (const Complex x : ValuesOf(results[0])) sum += x;
      EXPECT_TRUE(std::isnan(std::abs(sum))) << ToString(call);
    }
  }
};

TEST_F(CudaRoutineTest, TransformsOfAllKinds) {
  for (const DType complex : {DType::kC64, DType::kC128}) {
    const DType real = ir::RealPartOf(complex);
    const double tolerance = ToleranceOf(complex);
    for (const int64_t last : {1, 2, 5, 8}) {
      for (int64_t rank = 1; rank <= 3; ++rank) {
        const TensorType values = Of(complex, {2, 3, 4, last}), reals = Of(real, {2, 3, 4, last}),
                         spectrum = Of(complex, {2, 3, 4, last / 2 + 1});
        for (const int64_t kind : {0, 1}) {
          ExpectSame(CallOf(Routine::kFft, {kind, rank}, {values}, {values}),
                     {Scattered(values, 1)}, "cufftXtExec", tolerance);
        }
        ExpectSame(CallOf(Routine::kFft, {2, rank}, {reals}, {spectrum}), {Scattered(reals, 2)},
                   "cufftXtExec", tolerance);
        // Not a spectrum of real values: what does not belong there is left out.
        ExpectSame(CallOf(Routine::kFft, {3, rank}, {spectrum}, {reals}), {Scattered(spectrum, 3)},
                   "cufftXtExec", tolerance);
      }
    }
  }
}

TEST_F(CudaRoutineTest, CholeskyFactors) {
  for (const DType dtype : kTypes) {
    for (const int64_t lower : {0, 1}) {
      for (const int64_t n : {1, 5, 37}) {
        for (const int64_t batch : {1, 3}) {
          const TensorType type = Of(dtype, {batch, n, n}), info = Of(DType::kI32, {batch});
          const ir::Literal a = Hermitian(type, static_cast<double>(2 * n));
          ExpectSame(CallOf(Routine::kCholesky, {lower}, {type}, {type}), {a}, "cusolverDn");
          ExpectSame(CallOf(Routine::kCholeskyFactor, {lower}, {type}, {type, info}), {a},
                     "cusolverDn");
        }
      }
    }
  }
  const TensorType large = Of(DType::kF64, {2, 260, 260});
  ExpectSame(CallOf(Routine::kCholesky, {1}, {large}, {large}), {Hermitian(large, 520)},
             "cusolverDnDpotrf");
  EXPECT_THAT(cuda_->calls(), Not(Contains("cusolverDnDpotrfBatched")));
}

TEST_F(CudaRoutineTest, WhatIsNotPositiveDefiniteHasNoFactor) {
  for (const DType dtype : kTypes) {
    for (const int64_t batch : {1, 3}) {
      const TensorType type = Of(dtype, {batch, 6, 6}), info = Of(DType::kI32, {batch});
      Values values = ValuesOf(Hermitian(type, 12));
      values[7] = -1;  // item 0, second on the diagonal
      const ir::Literal a = LiteralOf(type, values);
      const RoutineCall plain = CallOf(Routine::kCholesky, {1}, {type}, {type});
      ExpectSame(plain, {a}, "cusolverDn");
      const Values all = ValuesOf(RunOnDevice(plain, {a})[0]);
      for (size_t e = 0; e < all.size(); ++e) {
        EXPECT_EQ(std::isnan(all[e].real()), e < 36) << ToString(plain) << " element " << e;
      }
      const RoutineCall factor = CallOf(Routine::kCholeskyFactor, {1}, {type}, {type, info});
      EXPECT_TRUE(RunOnDevice(factor, {a})[1] == RunOnHost(factor, {a})[1]);
    }
  }
}

TEST_F(CudaRoutineTest, NanGetsIntoTheFactorsBehindItAlone) {
  for (const DType dtype : kTypes) {
    for (const int64_t batch : {1, 3}) {
      for (const int64_t lower : {0, 1}) {
        for (const int64_t bad : {0, 7, 8, 13, 35}) {
          const TensorType type = Of(dtype, {batch, 6, 6}), info = Of(DType::kI32, {batch});
          Values values = ValuesOf(Hermitian(type, 12));
          values[static_cast<size_t>(bad)] = std::nan("");
          values[static_cast<size_t>(bad % 6 * 6 + bad / 6)] = std::nan("");
          const ir::Literal a = LiteralOf(type, values);
          ExpectSame(CallOf(Routine::kCholesky, {lower}, {type}, {type}), {a}, "cusolverDn");
          ExpectSame(CallOf(Routine::kCholeskyFactor, {lower}, {type}, {type, info}), {a},
                     "cusolverDn");
        }
      }
    }
  }
}

TEST_F(CudaRoutineTest, TriangularSolves) {
  for (const DType dtype : kTypes) {
    for (const int64_t batch : {1, 3}) {
      for (const bool left : {true, false}) {
        for (int64_t i = 0; i < 12; ++i) {
          const TensorType a = Of(dtype, {batch, 5, 5});
          const TensorType b = left ? Of(dtype, {batch, 5, 3}) : Of(dtype, {batch, 3, 5});
          ExpectSame(CallOf(left ? Routine::kTriangularSolveLeft : Routine::kTriangularSolveRight,
                            {i % 2, i / 2 % 2, i / 4}, {a, b}, {b}),
                     {Hermitian(a, 4), Scattered(b, 2)}, "cublas");
        }
      }
    }
  }
}

TEST_F(CudaRoutineTest, LuFactors) {
  for (const DType dtype : kTypes) {
    for (const int64_t batch : {1, 3}) {
      for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {6, 6}, {35, 33}, {4, 7}}) {
        const TensorType a = Of(dtype, {batch, m, n}),
                         pivots = Of(DType::kI32, {batch, std::min(m, n)}),
                         info = Of(DType::kI32, {batch});
        const RoutineCall call = CallOf(Routine::kLu, {}, {a}, {a, pivots, info});
        ExpectSame(call, {Scattered(a, 4)}, batch > 1 && m == n ? "cublas" : "cusolverDn",
                   10 * ToleranceOf(dtype));
        Values with_nan = ValuesOf(Scattered(a, 4));
        with_nan[static_cast<size_t>(m > 2 && n > 2 ? 2 * n + 2 : 0)] = std::nan("");
        ExpectNanIn(call, {LiteralOf(a, with_nan)});
        ExpectSame(call, {ir::Literal::Filled(a, 0)}, "cu");
      }
    }
  }
}

TEST_F(CudaRoutineTest, QrFactorsAndProductsOfReflectors) {
  for (const DType dtype : kTypes) {
    for (const int64_t batch : {1, 2}) {
      for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {7, 4}, {4, 6}, {34, 33}}) {
        const int64_t p = std::min(m, n);
        const TensorType a = Of(dtype, {batch, m, n}), tau = Of(dtype, {batch, p});
        const RoutineCall call = CallOf(Routine::kQr, {}, {a}, {a, tau});
        const ir::Literal matrix = Scattered(a, 5);
        ExpectSame(call, {matrix}, "cusolverDn");
        Values with_nan = ValuesOf(matrix);
        with_nan[static_cast<size_t>(m > 2 && n > 2 ? 2 * n + 2 : 0)] = std::nan("");
        ExpectSame(call, {LiteralOf(a, with_nan)}, "cusolverDn");
        const std::vector<ir::Literal> qr = RunOnHost(call, {matrix});
        const TensorType left = Of(dtype, {batch, m, 3}), right = Of(dtype, {batch, 3, m});
        for (const int64_t adjoint : {0, 1}) {
          ExpectSame(CallOf(Routine::kHouseholderMultiplyLeft, {adjoint}, {a, tau, left}, {left}),
                     {qr[0], qr[1], Scattered(left, 6)}, "cusolverDn");
          ExpectSame(
              CallOf(Routine::kHouseholderMultiplyRight, {adjoint}, {a, tau, right}, {right}),
              {qr[0], qr[1], Scattered(right, 7)}, "cusolverDn");
        }
        if (m >= n) {
          ExpectSame(CallOf(Routine::kHouseholderProduct, {}, {a, tau}, {a}), qr, "cusolverDn");
        }
      }
    }
  }
}

// a[rows, k] * diagonal * b[k, columns]; or, with `adjoint`, of b's adjoint.
Values Product(const Complex* a, const Complex* diagonal, const Complex* b, int64_t rows, int64_t k,
               int64_t a_columns, int64_t columns, bool adjoint) {
  Values out(static_cast<size_t>(rows * columns));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t i = 0; i < k; ++i) {
        const Complex factor = adjoint ? std::conj(b[c * k + i]) : b[i * columns + c];
        out[static_cast<size_t>(r * columns + c)] += a[r * a_columns + i] * diagonal[i] * factor;
      }
    }
  }
  return out;
}

Values Identity(int64_t n) {
  Values out(static_cast<size_t>(n * n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i * (n + 1))] = 1;
  return out;
}

TEST_F(CudaRoutineTest, HermitianEigenvalues) {
  for (const DType dtype : kTypes) {
    for (const int64_t n : {1, 6, 33}) {
      const TensorType a = Of(dtype, {2, n, n}), w = Of(ir::RealPartOf(dtype), {2, n}),
                       info = Of(DType::kI32, {2});
      const double tolerance = ToleranceOf(dtype) * static_cast<double>(n);
      const ir::Literal matrix = Hermitian(a, 0);
      // Only one triangle counts.
      for (const bool lower : {false, true}) {
        Values values = ValuesOf(matrix);
        for (int64_t i = 0; i < 2 * n * n; ++i) {
          const int64_t row = i / n % n, column = i % n;
          if (lower ? column > row : column < row) values[static_cast<size_t>(i)] = 99;
        }
        for (const int64_t vectors : {0, 1}) {
          const RoutineCall call =
              CallOf(Routine::kHermitianEigen, {lower, vectors}, {a}, {a, w, info});
          const ir::Literal operand = LiteralOf(a, values);
          const std::vector<ir::Literal> actual = RunOnDevice(call, {operand});
          const std::vector<ir::Literal> expected = RunOnHost(call, {operand});
          EXPECT_THAT(cuda_->calls(), Contains(StartsWith("cusolverDn")));
          ExpectNear(actual[1], expected[1], tolerance, "eigenvalues");
          EXPECT_TRUE(actual[2] == expected[2]);
          if (vectors == 0) continue;
          const Values v = ValuesOf(actual[0]), d = ValuesOf(actual[1]), all = ValuesOf(matrix);
          Values again;
          for (int64_t i = 0; i < 2; ++i) {
            const Complex* const of_item = v.data() + i * n * n;
            const Values item = Product(of_item, d.data() + i * n, of_item, n, n, n, n, true);
            again.insert(again.end(), item.begin(), item.end());
          }
          ExpectNear(LiteralOf(a, again), matrix, tolerance, "V w V^H");
        }
      }
    }
  }
}

TEST_F(CudaRoutineTest, SingularValues) {
  for (const DType dtype : kTypes) {
    for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {5, 5}, {7, 3}, {3, 7}}) {
      for (const bool full : {false, true}) {
        for (const int64_t vectors : {0, 1}) {
          const int64_t p = std::min(m, n), of_u = full ? m : p, of_v = full ? n : p;
          const TensorType a = Of(dtype, {2, m, n}), s = Of(ir::RealPartOf(dtype), {2, p}),
                           u = Of(dtype, {2, m, of_u}), vt = Of(dtype, {2, of_v, n}),
                           info = Of(DType::kI32, {2});
          const RoutineCall call = CallOf(full ? Routine::kSvdFull : Routine::kSvdThin,
                                          {vectors, 0}, {a}, {a, s, u, vt, info});
          const ir::Literal matrix = Scattered(a, 8);
          const std::vector<ir::Literal> actual = RunOnDevice(call, {matrix});
          const std::vector<ir::Literal> expected = RunOnHost(call, {matrix});
          EXPECT_THAT(cuda_->calls(), Contains(StartsWith("cusolverDn")));
          ExpectNear(actual[1], expected[1], ToleranceOf(dtype), "singular values");
          EXPECT_TRUE(actual[4] == expected[4]);
          if (vectors == 0) {
            EXPECT_TRUE(actual[2] == ir::Literal::Filled(u, 0));
            EXPECT_TRUE(actual[3] == ir::Literal::Filled(vt, 0));
            continue;
          }
          const Values of_s = ValuesOf(actual[1]), left = ValuesOf(actual[2]),
                       right = ValuesOf(actual[3]);
          const Values ones(static_cast<size_t>(std::max(m, n)), 1);
          Values again;
          for (int64_t i = 0; i < 2; ++i) {
            const Complex* const of_left = left.data() + i * m * of_u;
            const Values item = Product(of_left, of_s.data() + i * p, right.data() + i * of_v * n,
                                        m, p, of_u, n, false);
            again.insert(again.end(), item.begin(), item.end());
            const Complex* const of_right = right.data() + i * of_v * n;
            const TensorType square = Of(dtype, {of_v, of_v});
            ExpectNear(
                LiteralOf(square, Product(of_right, ones.data(), of_right, of_v, n, n, of_v, true)),
                LiteralOf(square, Identity(of_v)), ToleranceOf(dtype), "V^H V");
          }
          ExpectNear(LiteralOf(a, again), matrix, ToleranceOf(dtype), "U s V^H");
        }
      }
    }
  }
}

TEST_F(CudaRoutineTest, WhatIsNotFiniteIsNotIteratedOver) {
  for (const DType dtype : kTypes) {
    for (const double bad : {std::nan(""), HUGE_VAL}) {
      const TensorType a = Of(dtype, {2, 4, 4}), s = Of(ir::RealPartOf(dtype), {2, 4}),
                       info = Of(DType::kI32, {2});
      Values values = ValuesOf(Hermitian(a, 1));
      values[24] = bad;  // in the triangle that is read
      const ir::Literal matrix = LiteralOf(a, values);
      const RoutineCall eigen = CallOf(Routine::kHermitianEigen, {1, 1}, {a}, {a, s, info});
      EXPECT_TRUE(RunOnDevice(eigen, {matrix})[2] == RunOnHost(eigen, {matrix})[2]);
      const RoutineCall svd = CallOf(Routine::kSvdThin, {1, 0}, {a}, {a, s, a, a, info});
      const std::vector<ir::Literal> actual = RunOnDevice(svd, {matrix});
      const std::vector<ir::Literal> expected = RunOnHost(svd, {matrix});
      EXPECT_TRUE(actual[4] == expected[4]);
      ExpectNear(actual[1], expected[1], ToleranceOf(dtype), "singular values");
    }
  }
}

const RoutineCall kCholesky{
    Routine::kCholesky, {1}, {Of(DType::kF32, {4, 4})}, {Of(DType::kF32, {4, 4})}};
const RoutineCall kTransform{Routine::kFft, {0, 1}, {Of(DType::kC64, {8})}, {Of(DType::kC64, {8})}};

TEST_F(CudaRoutineTest, WhatTheDeviceDoesByItselfIsOnlyEnqueued) {
  EXPECT_FALSE(NeedsHost(kCholesky));
  EXPECT_FALSE(NeedsHost(kTransform));
  const TensorType a = Of(DType::kF32, {4, 4}), w = Of(DType::kF32, {4}),
                   info = Of(DType::kI32, {});
  EXPECT_TRUE(NeedsHost(CallOf(Routine::kHermitianEigen, {1, 1}, {a}, {a, w, info})));
  // The stream's first run makes handles. Then nobody waits for a run before it is enqueued.
  (void)RunOnDevice(kCholesky, {Hermitian(a, 8)});
  const hal::Executable executable = ExecutableOf(kCholesky);
  hal::Launch launch = LaunchOf(Load(executable), executable, {Put(Hermitian(a, 8))});
  cuda_->ForgetCalls();
  cuda_->Pause();
  const auto done = stream_->Run(std::move(launch));
  EXPECT_TRUE(Eventually([&] { return cuda_->CountOf("cusolverDnSpotrf") == 1; }));
  EXPECT_THAT(cuda_->calls(), Not(Contains("cusolverDnCreate")));
  EXPECT_FALSE(done.IsReady());
  cuda_->Resume();
  EXPECT_TRUE(done.Await().ok());
}

TEST_F(CudaRoutineTest, HandlesAreMadeForWhatUsesThem) {
  (void)RunOnDevice(kTransform, {Scattered(kTransform.operands[0], 1)});
  EXPECT_THAT(cuda_->calls(), Not(Contains("cusolverDnCreate")));
  (void)RunOnDevice(kCholesky, {Hermitian(kCholesky.operands[0], 8)});
  EXPECT_EQ(cuda_->CountOf("cublasCreate"), 1);
  // To ask how much workspace is wanted, and the stream's.
  EXPECT_EQ(cuda_->CountOf("cusolverDnCreate"), 2);
}

TEST_F(CudaRoutineTest, StreamsDoNotShareHandles) {
  const TensorType a = Of(DType::kF32, {4, 4});
  (void)RunOnDevice(kCholesky, {Hermitian(a, 8)});
  const std::unique_ptr<hal::Stream> first = std::exchange(stream_, devices_[0]->CreateStream("2"));
  (void)RunOnDevice(kCholesky, {Hermitian(a, 8)});
  EXPECT_EQ(cuda_->CountOf("cusolverDnCreate"), 1);
}

TEST_F(CudaRoutineTest, WhatNoLibraryHasIsTheHosts) {
  const TensorType half = Of(DType::kF16, {3, 3}), none = Of(DType::kF32, {2, 0, 0});
  const RoutineCall narrow = CallOf(Routine::kCholesky, {1}, {half}, {half});
  const RoutineCall empty = CallOf(Routine::kCholesky, {1}, {none}, {none});
  const TensorType a = Of(DType::kF32, {4, 4}), tau = Of(DType::kF32, {3}),
                   info = Of(DType::kI32, {});
  const RoutineCall hessenberg = CallOf(Routine::kHessenberg, {}, {a}, {a, tau, info});
  for (const RoutineCall& call : {narrow, empty, hessenberg}) {
    EXPECT_TRUE(NeedsHost(call));
    const ir::Literal operand = Hermitian(call.operands[0], 6);
    ExpectNear(RunOnDevice(call, {operand})[0], RunOnHost(call, {operand})[0], 1e-5,
               ToString(call));
    EXPECT_THAT(cuda_->calls(), Not(Contains(StartsWith("cusolver"))));
  }
}

TEST_F(CudaRoutineTest, WhatALibraryRefusesIsTheHosts) {
  cuda_->Fail("cufftXtMakePlanMany", 16);         // CUFFT_NOT_SUPPORTED
  cuda_->Fail("cusolverDnSpotrf_bufferSize", 9);  // CUSOLVER_STATUS_NOT_SUPPORTED
  const ir::Literal matrix = Hermitian(kCholesky.operands[0], 6);
  ExpectNear(RunOnDevice(kCholesky, {matrix})[0], RunOnHost(kCholesky, {matrix})[0], 1e-5, "");
  EXPECT_EQ(cuda_->CountOf("cusolverDnSpotrf"), 0);
  const ir::Literal values = Scattered(kTransform.operands[0], 1);
  ExpectNear(RunOnDevice(kTransform, {values})[0], RunOnHost(kTransform, {values})[0], 1e-5, "");
  EXPECT_EQ(cuda_->CountOf("cufftXtExec"), 0);
  // What it refuses later is the run's failure alone.
  const hal::Executable executable = ExecutableOf(kCholesky);
  const auto module = Load(executable);
  cuda_->Fail("cusolverDnSpotrf", 7);
  const auto run = [&] {
    return stream_->Run(LaunchOf(module, executable, {Put(matrix)})).Await().status();
  };
  EXPECT_THAT(std::string(run().message()), ::testing::HasSubstr("cholesky: potrf: cuSOLVER"));
  EXPECT_TRUE(run().ok());
}

TEST_F(CudaRoutineTest, WithoutLibrariesRoutinesAreTheHosts) {
  hal::cuda::Toolkit toolkit = FakeCuda::toolkit();
  static const absl::StatusOr<kernels::cuda::Cublas> no_cublas = absl::FailedPreconditionError("");
  static const absl::StatusOr<kernels::cuda::Cufft> no_cufft = absl::FailedPreconditionError("");
  static const absl::StatusOr<kernels::cuda::Cusolver> no_cusolver =
      absl::FailedPreconditionError("");
  toolkit.find_cublas = []() -> const auto& { return no_cublas; };
  toolkit.find_cufft = []() -> const auto& { return no_cufft; };
  toolkit.find_cusolver = []() -> const auto& { return no_cusolver; };
  OpenWith(toolkit);
  const TensorType a = Of(DType::kF64, {2, 4, 4});
  const RoutineCall solve = CallOf(Routine::kTriangularSolveLeft, {1, 0, 0}, {a, a}, {a});
  for (const RoutineCall& call : {kCholesky, kTransform, solve}) {
    EXPECT_TRUE(NeedsHost(call));
    std::vector<ir::Literal> operands;
    for (const TensorType& type : call.operands) {
      operands.push_back(type.rank() < 2 ? Scattered(type, 1) : Hermitian(type, 5));
    }
    ExpectNear(RunOnDevice(call, operands)[0], RunOnHost(call, operands)[0], 1e-5, ToString(call));
  }
}

TEST_F(CudaRoutineTest, ManyMatricesOfABatchGoByTheWorkerThread) {
  const TensorType many = Of(DType::kF32, {40, 70, 3}), tau = Of(DType::kF32, {40, 3});
  const RoutineCall call = CallOf(Routine::kQr, {}, {many}, {many, tau});
  EXPECT_TRUE(NeedsHost(call));
  ExpectSame(call, {Scattered(many, 2)}, "cusolverDnSgeqrf");
  // Small ones are the host's altogether.
  const TensorType small = Of(DType::kF32, {40, 4, 3});
  const RoutineCall on_host = CallOf(Routine::kQr, {}, {small}, {small, tau});
  EXPECT_TRUE(NeedsHost(on_host));
  (void)RunOnDevice(on_host, {Scattered(small, 2)});
  EXPECT_EQ(cuda_->CountOf("cusolverDnSgeqrf"), 0);
  const TensorType few = Of(DType::kF32, {4, 3, 4}), of_few = Of(DType::kF32, {4, 3});
  EXPECT_FALSE(NeedsHost(CallOf(Routine::kQr, {}, {few}, {few, of_few})));
}

}  // namespace
}  // namespace acceld::testing
