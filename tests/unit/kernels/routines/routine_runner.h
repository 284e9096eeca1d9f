#pragma once

#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/cpu/routine_key.h"
#include "kernels/cpu/run_state.h"
#include "kernels/cpu/support/routine.h"
#include "kernels/ir/plan.h"
#include "tests/unit/kernels/buffers.h"

// Runs single routines of the CPU's run-time support, and checks what they give with matrices of
// complex doubles; for tests.
namespace acceld::kernels::cpu {

using Complex = std::complex<double>;

// Row-major.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<Complex> values;

  Matrix() = default;
  Matrix(int64_t r, int64_t c) : rows(r), columns(c), values(r * c) {}
  Complex& At(int64_t r, int64_t c) { return values[r * columns + c]; }
  Complex At(int64_t r, int64_t c) const { return values[r * columns + c]; }
};

inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.columns; ++k) {
      for (int64_t j = 0; j < b.columns; ++j) out.At(i, j) += a.At(i, k) * b.At(k, j);
    }
  }
  return out;
}

inline Matrix Adjoint(const Matrix& a) {
  Matrix out(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) out.At(j, i) = std::conj(a.At(i, j));
  }
  return out;
}

inline Matrix Identity(int64_t n) {
  Matrix out(n, n);
  for (int64_t i = 0; i < n; ++i) out.At(i, i) = 1;
  return out;
}

// Elements (r, c) for which `keep` is true; zeros elsewhere.
template <typename Keep>
Matrix Part(Matrix a, Keep keep) {
  for (int64_t r = 0; r < a.rows; ++r) {
    for (int64_t c = 0; c < a.columns; ++c) {
      if (!keep(r, c)) a.At(r, c) = 0;
    }
  }
  return a;
}
inline Matrix Upper(const Matrix& a) {
  return Part(a, [](int64_t r, int64_t c) { return r <= c; });
}
inline Matrix Lower(const Matrix& a) {
  return Part(a, [](int64_t r, int64_t c) { return r >= c; });
}

inline void ExpectNear(const Matrix& a, const Matrix& b, double tolerance) {
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.columns, b.columns);
  for (size_t i = 0; i < a.values.size(); ++i) {
    ASSERT_LE(std::abs(a.values[i] - b.values[i]), tolerance)
        << "element " << i << ": " << a.values[i] << " and " << b.values[i];
  }
}

// Numbers without a pattern; imaginary parts only where T has them.
template <typename T>
std::vector<T> Scattered(int64_t count, int seed) {
  std::vector<T> out;
  for (int64_t i = 0; i < count; ++i) {
    const double re = std::sin(static_cast<double>(i * i + 7 * seed + 1));
    if constexpr (std::is_floating_point_v<T>) {
      out.push_back(static_cast<T>(re));
    } else {
      out.push_back(T(static_cast<typename T::value_type>(re),
                      static_cast<typename T::value_type>(std::cos(3.0 * i + seed))));
    }
  }
  return out;
}

// Item `i` of `bytes` as a matrix, T as its element type.
template <typename T>
Matrix MatrixOf(const std::string& bytes, int64_t rows, int64_t columns, int64_t i = 0) {
  const std::vector<T> all = ValuesOf<T>(bytes);
  Matrix out(rows, columns);
  for (int64_t e = 0; e < rows * columns; ++e) out.values[e] = Complex(all[i * rows * columns + e]);
  return out;
}

template <typename T>
constexpr ir::DType DTypeOf() {
  if (std::is_same_v<T, float>) return ir::DType::kF32;
  if (std::is_same_v<T, double>) return ir::DType::kF64;
  if (std::is_same_v<T, std::complex<float>>) return ir::DType::kC64;
  if (std::is_same_v<T, std::complex<double>>) return ir::DType::kC128;
  return ir::DType::kI32;
}

// The results' bytes.
inline std::vector<std::string> RunCall(const RoutineCall& call,
                                        const std::vector<std::string>& operands, int threads = 1) {
  EXPECT_TRUE(CheckRoutine(call).ok()) << CheckRoutine(call);
  std::vector<AlignedBytes> memory;
  std::vector<void*> addresses;
  const auto add = [&](const std::string& bytes) {
    memory.push_back(AllocateAligned(static_cast<int64_t>(bytes.size())));
    std::memcpy(memory.back().get(), bytes.data(), bytes.size());
    addresses.push_back(memory.back().get());
  };
  for (const std::string& operand : operands) add(operand);
  for (const ir::TensorType& type : call.results) add(std::string(type.size_bytes(), '\xAB'));
  const volatile bool cancelled = false;
  static CpuRuntime runtime;
  RunState state(LaunchContext{.arguments = nullptr,
                               .results = nullptr,
                               .arena = nullptr,
                               .constants = nullptr,
                               .num_threads = threads,
                               .interrupted = &cancelled,
                               .runtime = &runtime});
  const int32_t code = RunRoutine(&state.context, RoutineKeyOf(call).data(), addresses.data());
  EXPECT_EQ(code, static_cast<int32_t>(CodeStatus::kOk)) << ToString(call);
  std::vector<std::string> results;
  for (size_t i = 0; i < call.results.size(); ++i) {
    results.emplace_back(static_cast<const char*>(addresses[operands.size() + i]),
                         call.results[i].size_bytes());
  }
  return results;
}

}  // namespace acceld::kernels::cpu
