#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/builder.h"
#include "common/ir/fingerprint.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

using ::testing::HasSubstr;

void DropLocations(Region& region) {
  for (Op& op : region.ops) {
    op.location = {};
    for (Region& inner : op.regions) DropLocations(inner);
  }
}

// Reads, prints, reads again.
void ExpectSurvivesPrinting(const std::string& text) {
  auto module = ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string printed = PrintModule(*module);
  auto again = ParseModule(printed, "printed");
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << printed;
  for (Function& function : module->functions) DropLocations(function.body);
  for (Function& function : again->functions) DropLocations(function.body);
  EXPECT_TRUE(*again == *module) << printed;
}

TEST(TextPrinterTest, PrintsPrettyFormsWhereTheyAreSimple) {
  const std::string text = R"(module @m {
  func.func public @main(%0: tensor<2x3xf32>, %1: tensor<i1>) -> tensor<3xf32> {
    %2 = stablehlo.constant dense<0.5> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %4 = stablehlo.add %0, %3 : tensor<2x3xf32>
    %5 = stablehlo.compare LT, %4, %0, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %6 = stablehlo.slice %4 [0:1, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
    %7 = "stablehlo.reduce"(%4, %2) <{dimensions = array<i64: 0>}> ({
    ^bb0(%8: tensor<f32>, %9: tensor<f32>):
      %10 = stablehlo.add %8, %9 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %7 : tensor<3xf32>
  }
}
)";
  const auto module = ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(PrintModule(*module), text);
}

TEST(TextPrinterTest, SpecialFloatsKeepTheirBits) {
  ExpectSurvivesPrinting(
      R"(func.func @main() -> (tensor<5xf32>, tensor<2xf16>, tensor<complex<f64>>) {
    %0 = stablehlo.constant dense<[0x7FC00001, 0xFF800000, -0.0, 1.0e-45, 3.40282347e+38]> : tensor<5xf32>
    %1 = stablehlo.constant dense<[0x7E01, 6.0e-8]> : tensor<2xf16>
    %2 = stablehlo.constant dense<(0x7FF8000000000002,0.1)> : tensor<complex<f64>>
    return %0, %1, %2 : tensor<5xf32>, tensor<2xf16>, tensor<complex<f64>>
  })");
}

TEST(TextPrinterTest, NamesThatNeedQuotesKeepThem) {
  ExpectSurvivesPrinting(R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = call @"<lambda> \22 \\"(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @"<lambda> \22 \\"(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> })");
}

TEST(TextPrinterTest, EquationsOfEinsumsSurvive) {
  ExpectSurvivesPrinting(
      R"(func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.einsum %x, %y, config = "ab,bc->ca" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.unary_einsum %0, config = "ca->c" : (tensor<4x2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
})");
}

TEST(TextPrinterTest, SelectShowsBothTypesEvenWhenEqual) {
  const auto module = ParseModule(R"(func.func @main(%p: tensor<i1>) -> tensor<i1> {
    %0 = stablehlo.select %p, %p, %p : tensor<i1>, tensor<i1>
    return %0 : tensor<i1>
  })");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(PrintModule(*module), HasSubstr("%0, %0, %0 : tensor<i1>, tensor<i1>\n"));
}

TEST(TextPrinterTest, DynamicDimensionsSurvive) {
  ExpectSurvivesPrinting(R"(func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %0 = stablehlo.add %x, %x : tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  })");
}

TEST(TextPrinterTest, CallAttributesSurvive) {
  ExpectSurvivesPrinting(R"(func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0:2 = stablehlo.custom_call @"a b"(%x) {api_version = 4 : i32, backend_config = {k = [1, 2.5 : f32, "s"], u}, has_side_effect = true} : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %1 = stablehlo.composite "my.op" %0#1 {composite_attributes = {n = 3 : i64}, decomposition = @f, version = 2 : i32} : (tensor<f32>) -> tensor<f32>
    return %0#0, %1 : tensor<f32>, tensor<f32>
  }
  func.func private @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> })");
}

// The call that JAX writes for a Cholesky decomposition on the CPU, and its upper twin.
TEST(TextPrinterTest, ConfigurationsOfLibraryCallsSurvive) {
  const auto call = [](const char* uplo) {
    return absl::StrCat(
        R"(func.func @main(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) {backend_config = "", mhlo.backend_config = {uplo = )",
        uplo,
        R"( : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=3, j=3, k=3, l=3}, custom>} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
    return %0#0 : tensor<3x3xf32>
  })");
  };
  ExpectSurvivesPrinting(call("76"));
  const auto lower = ParseModule(call("76"));
  const auto upper = ParseModule(call("85"));
  ASSERT_TRUE(lower.ok() && upper.ok()) << lower.status() << upper.status();
  EXPECT_THAT(PrintModule(*lower), HasSubstr("mhlo.backend_config = {uplo = 76 : ui8}"));
  EXPECT_NE(Fingerprint(*lower, "main"), Fingerprint(*upper, "main"));
}

TEST(TextPrinterTest, ConfigurationsAreAnyBytes) {
  const char* text = R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.custom_call @f(%x) {backend_config = "\00\FF\C0x"} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  })";
  ExpectSurvivesPrinting(text);
  EXPECT_THAT(PrintModule(*ParseModule(text)), HasSubstr("\"\\00\\FF\\C0x\""));
}

TEST(TextPrinterTest, FusionsSurvive) {
  FunctionBuilder builder("main");
  const Type type = TensorType{DType::kF32, {4}};
  const ValueId x = builder.AddParameter(type);
  const std::vector<ValueId> inside = builder.BeginRegion({&type, 1});
  const auto sum = builder.AddOne(OpKind::kAdd, {inside[0], inside[0]});
  ASSERT_TRUE(sum.ok()) << sum.status();
  std::vector<Region> regions;
  regions.push_back(builder.EndRegion({*sum}));
  const auto fused = builder.Add(OpKind::kFusion, {x}, FusionAttributes{FusionKind::kReduction},
                                 std::move(regions), {&type, 1});
  ASSERT_TRUE(fused.ok()) << fused.status();
  Module module;
  module.functions.push_back(builder.Finish(*fused));
  ExpectSurvivesPrinting(PrintModule(module));
}

}  // namespace
}  // namespace acceld::ir
