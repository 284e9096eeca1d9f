// Softmax, normalizations and the like: all that is done with a row, in one kernel.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/ir/conformance/checks.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "tests/unit/compiler/random/cpu_runner.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

using ir::DType;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

constexpr absl::string_view kSoftmax = R"(
func.func @main(%x: tensor<ROWSxCOLSxT>) -> tensor<ROWSxCOLSxT> {
  %ninf = stablehlo.constant dense<-1.0e30> : tensor<T>
  %z = stablehlo.constant dense<0.0> : tensor<T>
  %m = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [1] : (tensor<ROWSxCOLSxT>, tensor<T>) -> tensor<ROWSxT>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<ROWSxT>) -> tensor<ROWSxCOLSxT>
  %d = stablehlo.subtract %x, %mb : tensor<ROWSxCOLSxT>
  %e = stablehlo.exponential %d : tensor<ROWSxCOLSxT>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxCOLSxT>, tensor<T>) -> tensor<ROWSxT>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<ROWSxT>) -> tensor<ROWSxCOLSxT>
  %r = stablehlo.divide %e, %sb : tensor<ROWSxCOLSxT>
  return %r : tensor<ROWSxCOLSxT>
}
)";

// Three dimensions, of which the last two are a row; the mean and the scaled rows are results too.
constexpr absl::string_view kNormalization = R"(
func.func @main(%x: tensor<70x5x33xf32>, %g: tensor<33xf32>) -> (tensor<70x1x1xf32>, tensor<70x5x33xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<165.0> : tensor<70x1x1xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<70x1x1xf32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1, 2] : (tensor<70x5x33xf32>, tensor<f32>) -> tensor<70xf32>
  %s1 = stablehlo.reshape %s : (tensor<70xf32>) -> tensor<70x1x1xf32>
  %mean = stablehlo.divide %s1, %n : tensor<70x1x1xf32>
  %meanb = stablehlo.broadcast_in_dim %mean, dims = [0, 1, 2] : (tensor<70x1x1xf32>) -> tensor<70x5x33xf32>
  %c = stablehlo.subtract %x, %meanb : tensor<70x5x33xf32>
  %cc = stablehlo.multiply %c, %c : tensor<70x5x33xf32>
  %v = stablehlo.reduce(%cc init: %z) applies stablehlo.add across dimensions = [1, 2] : (tensor<70x5x33xf32>, tensor<f32>) -> tensor<70xf32>
  %v1 = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<70xf32>) -> tensor<70x1x1xf32>
  %var = stablehlo.divide %v1, %n : tensor<70x1x1xf32>
  %vare = stablehlo.add %var, %eps : tensor<70x1x1xf32>
  %rs = stablehlo.rsqrt %vare : tensor<70x1x1xf32>
  %rsb = stablehlo.broadcast_in_dim %rs, dims = [0, 1, 2] : (tensor<70x1x1xf32>) -> tensor<70x5x33xf32>
  %y = stablehlo.multiply %c, %rsb : tensor<70x5x33xf32>
  %gb = stablehlo.broadcast_in_dim %g, dims = [2] : (tensor<33xf32>) -> tensor<70x5x33xf32>
  %yg = stablehlo.multiply %y, %gb : tensor<70x5x33xf32>
  return %mean, %yg : tensor<70x1x1xf32>, tensor<70x5x33xf32>
}
)";

// What comes of rows, and the sums over all rows of what is read and of what comes of it: as in the
// gradient of a normalization.
constexpr absl::string_view kColumnSums = R"(
func.func @main(%x: tensor<ROWSxCOLSxT>, %d: tensor<ROWSxCOLSxT>, %w: tensor<FIRSTxT>) -> (tensor<ROWSxCOLSxT>, tensor<COLSxT>, tensor<COLSxT>, tensor<ROWSxT>) {
  %z = stablehlo.constant dense<0.0> : tensor<T>
  %ninf = stablehlo.constant dense<-1.0e30> : tensor<T>
  %n = stablehlo.constant dense<64.0> : tensor<ROWSxT>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [LAST] : (tensor<ROWSxCOLSxT>, tensor<T>) -> tensor<ROWSxT>
  %mean = stablehlo.divide %s, %n : tensor<ROWSxT>
  %mb = stablehlo.broadcast_in_dim %mean, dims = [OUTER] : (tensor<ROWSxT>) -> tensor<ROWSxCOLSxT>
  %c = stablehlo.subtract %x, %mb : tensor<ROWSxCOLSxT>
  %wb = stablehlo.broadcast_in_dim %w, dims = [0] : (tensor<FIRSTxT>) -> tensor<ROWSxCOLSxT>
  %cw = stablehlo.multiply %c, %wb : tensor<ROWSxCOLSxT>
  %e = stablehlo.cosine %cw : tensor<ROWSxCOLSxT>
  %m = stablehlo.reduce(%e init: %ninf) applies stablehlo.maximum across dimensions = [LAST] : (tensor<ROWSxCOLSxT>, tensor<T>) -> tensor<ROWSxT>
  %b = stablehlo.broadcast_in_dim %m, dims = [OUTER] : (tensor<ROWSxT>) -> tensor<ROWSxCOLSxT>
  %y = stablehlo.multiply %e, %b : tensor<ROWSxCOLSxT>
  %cd = stablehlo.multiply %c, %d : tensor<ROWSxCOLSxT>
  %sums = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [OUTER] : (tensor<ROWSxCOLSxT>, tensor<T>) -> tensor<COLSxT>
  %products = stablehlo.reduce(%cd init: %z) applies stablehlo.add across dimensions = [OUTER] : (tensor<ROWSxCOLSxT>, tensor<T>) -> tensor<COLSxT>
  return %y, %sums, %products, %m : tensor<ROWSxCOLSxT>, tensor<COLSxT>, tensor<COLSxT>, tensor<ROWSxT>
}
)";

std::string SoftmaxText(int64_t rows, int64_t columns, absl::string_view dtype) {
  return absl::StrReplaceAll(kSoftmax, {{"ROWS", absl::StrCat(rows)},
                                        {"COLS", absl::StrCat(columns)},
                                        {"xT", absl::StrCat("x", std::string(dtype))},
                                        {"<T>", absl::StrCat("<", std::string(dtype), ">")}});
}

ir::Literal Values(DType dtype, ir::Dims dims) {
  const ir::TensorType type{dtype, std::move(dims)};
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    ir::WriteFloat(dtype, bytes.data(), i, 0.03125 * static_cast<double>(i * 7919 % 257 - 128));
  }
  return ir::Literal::FromBytes(type, std::move(bytes)).value();
}

// Against the interpreter, and the same bits on any number of threads.
void ExpectAgreement(const std::string& text, const std::vector<ir::Literal>& arguments,
                     double bound) {
  const auto module = ir::ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto expected = ir::Interpret(*module, "main", arguments);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const auto one = RunOnCpu(*module, arguments, 1);
  ASSERT_TRUE(one.ok()) << one.status();
  const ir::CheckRule rule{ir::Tolerance::kRelativeToMax, bound, true};
  for (size_t i = 0; i < expected->size(); ++i) {
    const ir::Comparison comparison = ir::Compare(rule, (*one)[i], (*expected)[i]);
    EXPECT_TRUE(comparison.passed) << comparison.message;
  }
  for (int threads : {2, 5}) {
    const auto many = RunOnCpu(*module, arguments, threads);
    ASSERT_TRUE(many.ok()) << many.status();
    for (size_t i = 0; i < one->size(); ++i) {
      EXPECT_EQ((*one)[i].DenseBytes(), (*many)[i].DenseBytes()) << threads << " threads";
    }
  }
}

TEST(RowFusions, SoftmaxOfRowsOfAnyLength) {
  for (const int64_t columns : {64, 65, 127, 1000}) {
    SCOPED_TRACE(columns);
    ExpectAgreement(SoftmaxText(67, columns, "f32"), {Values(DType::kF32, {67, columns})}, 1e-6);
  }
  ExpectAgreement(SoftmaxText(1, 100, "f32"), {Values(DType::kF32, {1, 100})}, 1e-6);
  ExpectAgreement(SoftmaxText(70, 100, "bf16"), {Values(DType::kBF16, {70, 100})}, 0.02);
  ExpectAgreement(SoftmaxText(70, 100, "f64"), {Values(DType::kF64, {70, 100})}, 1e-14);
}

TEST(RowFusions, ANanOrAnInfinityStaysInItsRow) {
  const ir::TensorType type{DType::kF32, {64, 70}};
  std::string bytes = Values(DType::kF32, {64, 70}).DenseBytes();
  ir::WriteFloat(DType::kF32, bytes.data(), 3 * 70 + 69, kNan);
  ir::WriteFloat(DType::kF32, bytes.data(), 10 * 70, kInfinity);
  ir::WriteFloat(DType::kF32, bytes.data(), 20 * 70 + 33, -kInfinity);
  ExpectAgreement(SoftmaxText(64, 70, "f32"), {ir::Literal::FromBytes(type, bytes).value()}, 1e-6);
}

TEST(RowFusions, NormalizationOfRowsOfTwoDimensions) {
  ExpectAgreement(std::string(kNormalization),
                  {Values(DType::kF32, {70, 5, 33}), Values(DType::kF32, {33})}, 1e-5);
}

TEST(RowFusions, SumsOfColumnsAreThoseOfAllRows) {
  const auto expect = [](ir::Dims rows, ir::Dims columns, DType dtype, double bound) {
    const auto numbers = [](size_t first, size_t end) {
      std::vector<size_t> all;
      for (size_t d = first; d < end; ++d) all.push_back(d);
      return absl::StrJoin(all, ", ");
    };
    const std::string type(ir::DTypeName(dtype));
    const size_t rank = rows.size() + columns.size();
    const std::string text =
        absl::StrReplaceAll(kColumnSums, {{"ROWS", absl::StrJoin(rows, "x")},
                                          {"FIRST", absl::StrCat(rows[0])},
                                          {"COLS", absl::StrJoin(columns, "x")},
                                          {"OUTER", numbers(0, rows.size())},
                                          {"LAST", numbers(rows.size(), rank)},
                                          {"xT", absl::StrCat("x", type)},
                                          {"<T>", absl::StrCat("<", type, ">")}});
    SCOPED_TRACE(text);
    ir::Dims all = rows;
    all.insert(all.end(), columns.begin(), columns.end());
    ExpectAgreement(text, {Values(dtype, all), Values(dtype, all), Values(dtype, {rows[0]})},
                    bound);
  };
  expect({4096}, {65}, DType::kF32, 1e-5);
  expect({4096}, {64}, DType::kBF16, 0.02);
  expect({4096}, {4, 17}, DType::kF64, 1e-12);
  expect({32, 128}, {65}, DType::kF32, 1e-5);
  expect({8, 16, 32}, {5, 13}, DType::kF32, 1e-5);
}

}  // namespace
}  // namespace acceld::compiler
