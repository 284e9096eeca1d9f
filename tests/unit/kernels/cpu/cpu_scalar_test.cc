// The CPU code generator on every scalar operation and every conversion.

#include <cmath>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"
#include "tests/unit/kernels/scalar_cases.h"

namespace acceld::kernels::cpu {
namespace {

void ExpectAllAgree(const std::vector<ScalarCase>& cases) {
  for (const ScalarCase& one : cases) {
    const auto results = RunPlan(PlanOf(one.kernel), one.arguments);
    ASSERT_TRUE(results.ok()) << one.name << ": " << results.status();
    ExpectAgrees(one, (*results)[0]);
  }
}

std::string TestNameOf(const testing::TestParamInfo<DType>& info) {
  return std::string(ir::DTypeName(info.param));
}

class ConversionTest : public testing::TestWithParam<DType> {};

TEST_P(ConversionTest, ToEveryType) { ExpectAllAgree(ConversionCases(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Integers, ConversionTest, testing::ValuesIn(kIntegerTypes), TestNameOf);
INSTANTIATE_TEST_SUITE_P(Floats, ConversionTest, testing::ValuesIn(kFloatTypes), TestNameOf);
INSTANTIATE_TEST_SUITE_P(Bool, ConversionTest, testing::Values(DType::kI1), TestNameOf);

class IntegerOpTest : public testing::TestWithParam<DType> {};

TEST_P(IntegerOpTest, MatchesDefinition) { ExpectAllAgree(IntegerCases(GetParam())); }

INSTANTIATE_TEST_SUITE_P(All, IntegerOpTest, testing::ValuesIn(kIntegerTypes), TestNameOf);

class FloatOpTest : public testing::TestWithParam<DType> {};

TEST_P(FloatOpTest, MatchesDefinition) { ExpectAllAgree(FloatCases(GetParam())); }

INSTANTIATE_TEST_SUITE_P(All, FloatOpTest, testing::Values(DType::kF32, DType::kF64), TestNameOf);

TEST(ScalarOpTest, BoolOperations) { ExpectAllAgree(BoolCases()); }

TEST(ScalarOpTest, BitcastsKeepEveryBit) { ExpectAllAgree(BitcastCases()); }

TEST(ScalarOpTest, ProductsAreRoundedWithTheOneSumThatTakesThem) {
  if (!absl::StrContains(CpuTarget::Host().features, "+fma")) GTEST_SKIP() << "nothing is fused";
  ExpectAllAgree(ContractionCases(DType::kF32));
  ExpectAllAgree(ContractionCases(DType::kF64));
}

TEST(ScalarOpTest, FmaRoundsOnceAndMultiplyAddTwice) {
  // (1 + e)^2 - 1 - 2e = e^2, which two roundings lose.
  const std::vector<float> x = {1.0f + 0x1p-12f};
  const auto Run = [&](bool fused) {
    const Kernel kernel = MapKernel("k", DType::kF32, DType::kF32, 1, [&](KernelBuilder& b, Var v) {
      const Var c = b.ConstantFloat(DType::kF32, -1.0 - 0x1p-11);
      if (fused) return b.Apply(ScalarOp::kFma, {v, v, c});
      return b.Apply(ScalarOp::kAdd, {b.Apply(ScalarOp::kMultiply, {v, v}), c});
    });
    const auto results = RunPlan(PlanOf(kernel), {BytesOf(x)});
    return results.ok() ? ValuesOf<float>((*results)[0])[0] : NAN;
  };
  EXPECT_EQ(Run(true), 0x1p-24f);
  EXPECT_EQ(Run(false), 0.0f);
}

}  // namespace
}  // namespace acceld::kernels::cpu
