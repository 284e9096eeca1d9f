// Which calls of routines are accepted.

#include "kernels/ir/routine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::kernels {
namespace {

using ir::DType;
using ir::TensorType;
using ::testing::HasSubstr;

TensorType F32(ir::Dims dims) { return {DType::kF32, std::move(dims)}; }
TensorType I32(ir::Dims dims) { return {DType::kI32, std::move(dims)}; }

absl::StatusCode CodeOf(const RoutineCall& call) { return CheckRoutine(call).code(); }
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(RoutineTest, AcceptsBatchesOfWhatTheSignatureSays) {
  EXPECT_TRUE(
      CheckRoutine({Routine::kLu, {}, {F32({4, 3})}, {F32({4, 3}), I32({3}), I32({})}}).ok());
  const RoutineCall batch{
      Routine::kLu, {}, {F32({7, 2, 4, 3})}, {F32({7, 2, 4, 3}), I32({7, 2, 3}), I32({7, 2})}};
  EXPECT_TRUE(CheckRoutine(batch).ok());
  EXPECT_EQ(BatchRankOf(batch), 2);
  EXPECT_TRUE(
      CheckRoutine({Routine::kTridiagonal,
                    {1},
                    {{DType::kC64, {0, 0}}},
                    {{DType::kC64, {0, 0}}, F32({0}), F32({0}), {DType::kC64, {0}}, I32({})}})
          .ok());
}

TEST(RoutineTest, RefusesSizesThatDoNotFit) {
  const absl::Status status =
      CheckRoutine({Routine::kLu, {}, {F32({4, 3})}, {F32({4, 3}), I32({4}), I32({})}});
  EXPECT_EQ(status.code(), kInvalid);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("lu(tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4xi32>, tensor<i32>): "
                        "result 1 has size 4 where 3 fits"));
  EXPECT_EQ(CodeOf({Routine::kCholesky, {1}, {F32({4, 3})}, {F32({4, 3})}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kCholesky, {1}, {F32({2, 3, 3})}, {F32({3, 3})}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kCholesky, {1}, {F32({3})}, {F32({3})}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kTriangularSolveLeft,
                    {1, 0, 0},
                    {F32({2, 3, 3}), F32({5, 3, 1})},
                    {F32({5, 3, 1})}}),
            kInvalid);
}

TEST(RoutineTest, RefusesMoreReflectorsThanColumns) {
  EXPECT_EQ(CodeOf({Routine::kHouseholderProduct, {}, {F32({4, 3}), F32({4})}, {F32({4, 3})}}),
            kInvalid);
  EXPECT_EQ(CodeOf({Routine::kHouseholderProduct, {}, {F32({2, 3}), F32({2})}, {F32({2, 3})}}),
            kInvalid);
}

TEST(RoutineTest, RefusesTypesCountsAndParameters) {
  EXPECT_EQ(CodeOf({Routine::kCholesky, {1}, {I32({3, 3})}, {I32({3, 3})}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kQr, {}, {{DType::kF16, {3, 3}}}, {{DType::kF16, {3, 3}}}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kQr, {}, {F32({3, 3})}, {F32({3, 3}), I32({3})}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kQr, {}, {F32({3, 3})}, {}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kQr, {}, {}, {}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kCholesky, {}, {F32({3, 3})}, {F32({3, 3})}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kCholesky, {2}, {F32({3, 3})}, {F32({3, 3})}}), kInvalid);
}

TEST(RoutineTest, RefusesMatricesThatNoLibraryCounts) {
  const int64_t huge = int64_t{1} << 31;
  EXPECT_EQ(CodeOf({Routine::kQr, {}, {F32({huge, 1})}, {F32({huge, 1}), F32({1})}}),
            absl::StatusCode::kResourceExhausted);
}

TEST(RoutineTest, ChecksSpectra) {
  const TensorType half{DType::kC64, {5, 4}}, whole{DType::kC64, {5, 6}};
  EXPECT_TRUE(CheckRoutine({Routine::kFft, {0, 2}, {whole}, {whole}}).ok());
  EXPECT_TRUE(CheckRoutine({Routine::kFft, {2, 1}, {F32({5, 6})}, {half}}).ok());
  EXPECT_TRUE(CheckRoutine({Routine::kFft, {3, 1}, {half}, {F32({5, 7})}}).ok());
  const TensorType one{DType::kC64, {5, 1}};
  EXPECT_TRUE(CheckRoutine({Routine::kFft, {3, 1}, {one}, {F32({5, 0})}}).ok());
  EXPECT_EQ(CodeOf({Routine::kFft, {2, 1}, {F32({5, 0})}, {one}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kFft, {2, 1}, {F32({5, 6})}, {whole}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kFft, {0, 3}, {whole}, {whole}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kFft, {0, 0}, {whole}, {whole}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kFft, {0, 1}, {whole}, {half}}), kInvalid);
  EXPECT_EQ(CodeOf({Routine::kFft, {2, 1}, {whole}, {whole}}), kInvalid);
}

}  // namespace
}  // namespace acceld::kernels
