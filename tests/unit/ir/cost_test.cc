#include "common/ir/cost/cost.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/ir/cost/convolution_taps.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

// A function "main" with this signature and body.
Cost CostOfText(const std::string& signature, const std::string& body,
                const std::string& others = "") {
  const std::string text =
      absl::StrCat("module { func.func @main", signature, " {\n", body, "\n}\n", others, "}");
  const absl::StatusOr<Module> module = ParseModule(text, "cost");
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  if (!module.ok()) return {};
  const absl::StatusOr<Cost> cost = CostOf(*module, "main");
  EXPECT_TRUE(cost.ok()) << cost.status();
  return cost.value_or(Cost());
}

void ExpectCost(const Cost& cost, double flops, double transcendentals, double bytes) {
  EXPECT_EQ(cost.flops, flops);
  EXPECT_EQ(cost.transcendentals, transcendentals);
  EXPECT_EQ(cost.bytes_accessed, bytes);
}

// The numbers are those that JAX gives for its CPU (jax.jit(f).lower(x).cost_analysis()).

TEST(CostTest, MatrixProduct) {
  ExpectCost(CostOfText("(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>) -> tensor<64x16xf32>", R"(
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
    return %0 : tensor<64x16xf32>)"),
             65536, 0, 14336);
}

TEST(CostTest, ConvolutionCountsNoPadding) {
  const auto convolution = [](const char* result, const char* window) {
    return CostOfText(
        absl::StrCat("(%x: tensor<2x3x16x16xf32>, %w: tensor<8x3x3x3xf32>) -> ", result),
        absl::StrCat("%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, "
                     "1]->[b, f, 0, 1], window = {",
                     window,
                     "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
                     "(tensor<2x3x16x16xf32>, tensor<8x3x3x3xf32>) -> ",
                     result, "\nreturn %0 : ", result));
  };
  ExpectCost(convolution("tensor<2x8x16x16xf32>", "pad = [[1, 1], [1, 1]]"), 203136, 0, 23392);
  ExpectCost(convolution("tensor<2x8x14x14xf32>", ""), 169344, 0, 19552);
  ExpectCost(convolution("tensor<2x8x8x8xf32>", "stride = [2, 2], pad = [[0, 1], [0, 1]]"), 50784,
             0, 11104);
}

TEST(CostTest, ElementwiseAndTranscendental) {
  ExpectCost(CostOfText("(%a: tensor<1000xf32>, %b: tensor<1000xf32>) -> tensor<1000xf32>", R"(
    %0 = stablehlo.add %a, %b : tensor<1000xf32>
    return %0 : tensor<1000xf32>)"),
             1000, 0, 12000);
  ExpectCost(CostOfText("(%a: tensor<1000xf32>) -> tensor<1000xf32>", R"(
    %0 = stablehlo.exponential %a : tensor<1000xf32>
    return %0 : tensor<1000xf32>)"),
             0, 1000, 8000);
  ExpectCost(CostOfText("(%a: tensor<1000xf32>) -> tensor<1000xbf16>", R"(
    %0 = stablehlo.convert %a : (tensor<1000xf32>) -> tensor<1000xbf16>
    return %0 : tensor<1000xbf16>)"),
             1000, 0, 6000);
}

TEST(CostTest, ReductionsAndWindows) {
  ExpectCost(CostOfText("(%a: tensor<100x10xf32>) -> tensor<100xf32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %cst) applies stablehlo.add across dimensions = [1]
      : (tensor<100x10xf32>, tensor<f32>) -> tensor<100xf32>
    return %0 : tensor<100xf32>)"),
             900, 0, 4404);
  ExpectCost(CostOfText("(%a: tensor<17x17xf32>) -> tensor<8x8xf32>", R"(
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%a, %cst) <{window_dimensions = array<i64: 3, 3>,
      window_strides = array<i64: 2, 2>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.maximum %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
    }) : (tensor<17x17xf32>, tensor<f32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>)"),
             512, 0, 1416);
}

TEST(CostTest, SortComparesAsOftenAsALogarithmSays) {
  ExpectCost(CostOfText("(%a: tensor<10x100xf32>) -> tensor<10x100xf32>", R"(
    %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
    }) : (tensor<10x100xf32>) -> tensor<10x100xf32>
    return %0 : tensor<10x100xf32>)"),
             10000, 0, 8000);
}

TEST(CostTest, PartsOfOperands) {
  ExpectCost(CostOfText("(%a: tensor<100x10xf32>) -> tensor<10x10xf32>", R"(
    %0 = stablehlo.slice %a [10:20, 0:10] : (tensor<100x10xf32>) -> tensor<10x10xf32>
    return %0 : tensor<10x10xf32>)"),
             0, 0, 800);
}

TEST(CostTest, FourierTransforms) {
  ExpectCost(CostOfText("(%a: tensor<1024xcomplex<f32>>) -> tensor<1024xcomplex<f32>>", R"(
    %0 = stablehlo.fft %a, type = FFT, length = [1024]
      : (tensor<1024xcomplex<f32>>) -> tensor<1024xcomplex<f32>>
    return %0 : tensor<1024xcomplex<f32>>)"),
             81920, 0, 16384);
  ExpectCost(CostOfText("(%a: tensor<1000xf32>) -> tensor<501xcomplex<f32>>", R"(
    %0 = stablehlo.fft %a, type = RFFT, length = [1000]
      : (tensor<1000xf32>) -> tensor<501xcomplex<f32>>
    return %0 : tensor<501xcomplex<f32>>)"),
             72000, 0, 8008);
}

// A loop that doubles a thousand numbers while `compare` says so of a counter from `first`.
Cost CostOfLoop(const std::string& first, const std::string& compare, const std::string& change) {
  return CostOfText("(%a: tensor<1000xf32>, %n: tensor<i32>) -> tensor<1000xf32>",
                    absl::StrCat(R"(
    %first = stablehlo.constant dense<)",
                                 first, R"(> : tensor<i32>
    %r:2 = stablehlo.while(%i = %first, %x = %a) : tensor<i32>, tensor<1000xf32>
      cond {
        %limit = stablehlo.constant dense<10> : tensor<i32>
        %go = stablehlo.compare )",
                                 compare, R"( : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      } do {
        %step = stablehlo.constant dense<2> : tensor<i32>
        %j = )",
                                 change, R"( : tensor<i32>
        %y = stablehlo.add %x, %x : tensor<1000xf32>
        stablehlo.return %j, %y : tensor<i32>, tensor<1000xf32>
      }
    return %r#1 : tensor<1000xf32>)"));
}

// In the loop above, with the additions of the counter and one comparison more.
double Flops(double turns) { return turns * 1001 + turns + 1; }

TEST(CostTest, LoopsCountTheirTurnsWhereTheyAreKnown) {
  const char* const kUp = "stablehlo.add %i, %step";
  const char* const kDown = "stablehlo.subtract %i, %step";
  EXPECT_EQ(CostOfLoop("0", "LT, %i, %limit", kUp).flops, Flops(5));
  EXPECT_EQ(CostOfLoop("1", "LT, %i, %limit", kUp).flops, Flops(5));
  EXPECT_EQ(CostOfLoop("0", "LE, %i, %limit", kUp).flops, Flops(6));
  EXPECT_EQ(CostOfLoop("0", "GT, %limit, %i", kUp).flops, Flops(5));
  EXPECT_EQ(CostOfLoop("20", "GT, %i, %limit", kDown).flops, Flops(5));
  EXPECT_EQ(CostOfLoop("20", "GE, %i, %limit", kDown).flops, Flops(6));
  EXPECT_EQ(CostOfLoop("10", "LT, %i, %limit", kUp).flops, Flops(0));
  // Not known, or endless: once.
  EXPECT_EQ(CostOfLoop("0", "LT, %i, %n", kUp).flops, 1002);
  EXPECT_EQ(CostOfLoop("0", "NE, %i, %limit", kUp).flops, 1002);
  EXPECT_EQ(CostOfLoop("0", "LT, %i, %limit", kDown).flops, 1002);
  EXPECT_EQ(CostOfLoop("0", "LT, %i, %limit", "stablehlo.add %i, %n").flops, 1002);
}

TEST(CostTest, OfBranchesTheMostOfEachCount) {
  ExpectCost(CostOfText("(%p: tensor<i1>, %a: tensor<1000xf32>) -> tensor<1000xf32>", R"(
    %0 = "stablehlo.if"(%p) ({
      %1 = stablehlo.exponential %a : tensor<1000xf32>
      stablehlo.return %1 : tensor<1000xf32>
    }, {
      %1 = stablehlo.add %a, %a : tensor<1000xf32>
      stablehlo.return %1 : tensor<1000xf32>
    }) : (tensor<i1>) -> tensor<1000xf32>
    return %0 : tensor<1000xf32>)"),
             1000, 1000, 12000);
}

// Each function calls the next one twice: 2^30 additions, counted without as many steps.
TEST(CostTest, CalledFunctionsAreCountedOnce) {
  std::string others;
  for (int i = 0; i < 30; ++i) {
    absl::StrAppend(&others, "func.func private @f", i, "(%a: tensor<f32>) -> tensor<f32> {\n");
    const std::string callee =
        i == 29 ? "stablehlo.add %a, %a : tensor<f32>"
                : absl::StrCat("func.call @f", i + 1, "(%a) : (tensor<f32>) -> tensor<f32>");
    absl::StrAppend(&others, "%0 = ", callee, "\n%1 = ", callee, "\nreturn %1 : tensor<f32>\n}\n");
  }
  const Cost cost = CostOfText("(%a: tensor<f32>) -> tensor<f32>", R"(
    %0 = func.call @f0(%a) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>)",
                               others);
  EXPECT_EQ(cost.flops, static_cast<double>(1 << 30));
}

// By trying every pair.
double TriedTaps(const ConvolvedDimension& d) {
  double taps = 0;
  for (int64_t out = 0; out < d.output; ++out) {
    for (int64_t k = 0; k < d.kernel; ++k) {
      const int64_t at = out * d.stride - d.padding_low + k * d.kernel_dilation;
      taps += at >= 0 && at % d.input_dilation == 0 && at / d.input_dilation < d.input;
    }
  }
  return taps;
}

TEST(ConvolutionTapsTest, AreThoseThatMeetTheInput) {
  for (const int64_t input : {0, 1, 7}) {
    for (const int64_t padding_low : {-2, 0, 3}) {
      for (const int64_t stride : {1, 2, 3}) {
        for (const int64_t input_dilation : {1, 2, 4}) {
          for (const int64_t kernel_dilation : {1, 3}) {
            const ConvolvedDimension dimension{.input = input,
                                               .kernel = 4,
                                               .output = 9,
                                               .stride = stride,
                                               .padding_low = padding_low,
                                               .input_dilation = input_dilation,
                                               .kernel_dilation = kernel_dilation};
            EXPECT_EQ(ConvolutionTapsOf(dimension), TriedTaps(dimension))
                << input << " " << padding_low << " " << stride << " " << input_dilation << " "
                << kernel_dilation;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace acceld::ir
