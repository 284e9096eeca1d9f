// Random programs, compiled for the CPU and run, against the reference interpreter.
// ACCELD_RANDOM_PROGRAMS="first:count" runs other seeds than the usual ones and logs each; a single
// one that fails is printed. ACCELD_DUMP_DIR=DIR keeps all stages of compilation as text.
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "tests/unit/compiler/cpu_runner.h"
#include "tests/unit/compiler/random_program.h"

namespace acceld::compiler {
namespace {

// Allowed difference of values within [-8, 8] after a few roundings.
double ToleranceOf(ir::DType dtype) {
  switch (ir::RealPartOf(dtype)) {
    case ir::DType::kF64:
      return 1e-9;
    case ir::DType::kF32:
      return 1e-3;
    case ir::DType::kF16:
      return 0.05;
    case ir::DType::kBF16:
      return 0.3;
    default:
      return 4;  // 8-bit floats: a step near 8, a few times.
  }
}

bool IsClose(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a) / 8);
}

void ExpectClose(const ir::Literal& expected, const ir::Literal& actual, size_t number) {
  ASSERT_EQ(expected.type(), actual.type());
  const ir::DType dtype = expected.type().dtype;
  const std::string a = expected.DenseBytes(), b = actual.DenseBytes();
  if (!ir::IsFloat(dtype) && !ir::IsComplex(dtype)) {
    for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
      ASSERT_EQ(ir::ReadInt(dtype, a.data(), i), ir::ReadInt(dtype, b.data(), i))
          << "result " << number << " element " << i;
    }
    return;
  }
  const double tolerance = ToleranceOf(dtype);
  double scale = 1;  // of complex numbers: the parts of one cancel each other
  if (ir::IsComplex(dtype)) {
    for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
      const double size = std::abs(ir::ReadComplex(dtype, a.data(), i));
      if (std::isfinite(size)) scale = std::max(scale, size);
    }
  }
  for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
    const ir::Complex x = ir::IsComplex(dtype) ? ir::ReadComplex(dtype, a.data(), i)
                                               : ir::ReadFloat(dtype, a.data(), i);
    const ir::Complex y = ir::IsComplex(dtype) ? ir::ReadComplex(dtype, b.data(), i)
                                               : ir::ReadFloat(dtype, b.data(), i);
    ASSERT_TRUE(IsClose(x.real(), y.real(), tolerance * scale) &&
                IsClose(x.imag(), y.imag(), tolerance * scale))
        << "result " << number << " element " << i << ": expected " << x << ", got " << y;
  }
}

void CheckSeed(uint64_t seed) {
  const RandomProgram program = MakeRandomProgram(seed);
  const auto expected = ir::Interpret(program.module, "main", program.arguments);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const auto actual = RunOnCpu(program.module, program.arguments, /*num_threads=*/2);
  ASSERT_TRUE(actual.ok()) << actual.status();
  ASSERT_EQ(expected->size(), actual->size());
  for (size_t i = 0; i < expected->size(); ++i) ExpectClose((*expected)[i], (*actual)[i], i);
}

TEST(RandomPrograms, CompiledResultsAreThoseOfTheInterpreter) {
  uint64_t first = 0, count = 250;
  const char* const range = std::getenv("ACCELD_RANDOM_PROGRAMS");
  if (range != nullptr) {
    const std::vector<std::string> parts = absl::StrSplit(range, ':');
    ASSERT_TRUE(parts.size() == 2 && absl::SimpleAtoi(parts[0], &first) &&
                absl::SimpleAtoi(parts[1], &count))
        << "ACCELD_RANDOM_PROGRAMS is first:count, not " << range;
  }
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    if (range != nullptr) std::cerr << "seed " << seed << std::endl;
    CheckSeed(seed);
    if (testing::Test::HasFailure() && range != nullptr && count == 1) {
      std::cerr << ir::PrintModule(MakeRandomProgram(seed).module);
    }
  }
}

}  // namespace
}  // namespace acceld::compiler
