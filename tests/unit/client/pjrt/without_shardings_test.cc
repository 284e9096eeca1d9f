#include "client/pjrt/distribution/without_shardings.h"

#include <string>

#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::pjrt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ir::Module Parsed(const std::string& text) {
  auto module = ir::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

TEST(WithoutShardings, HasNoOpsOfShardy) {
  const ir::Module without = WithoutShardings(Parsed(R"(
      module attributes {mhlo.num_partitions = 4 : i32} {
        sdy.mesh @mesh = <["x"=4]>
        func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
            -> tensor<8xf32> {
          %0 = sdy.sharding_constraint %x <@mesh, [{}]> : tensor<8xf32>
          %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>]
              out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<2xf32>) {
            %2 = stablehlo.negate %y : tensor<2xf32>
            sdy.return %2 : tensor<2xf32>
          } : (tensor<8xf32>) -> tensor<8xf32>
          return %1 : tensor<8xf32>
        }
      })"));
  EXPECT_TRUE(ir::Verify(without).ok()) << ir::Verify(without);
  const std::string text = ir::PrintModule(without);
  EXPECT_THAT(text, Not(HasSubstr("sdy.")));
  EXPECT_THAT(text, HasSubstr("mhlo.num_partitions = 4"));
  EXPECT_THAT(text, HasSubstr("@SPMDFullToShardShape(%0)"));
  EXPECT_THAT(text, HasSubstr("negate"));
  EXPECT_THAT(text, HasSubstr("@SPMDShardToFullShape("));
}

TEST(WithoutShardings, CopiesOpsWithTheirRegions) {
  const ir::Module module = Parsed(R"(
      module attributes {mhlo.num_partitions = 2 : i32} {
        func.func public @main(%x: tensor<8xf32>) -> tensor<f32> {
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
            ^bb0(%a: tensor<f32>, %b: tensor<f32>):
              %1 = stablehlo.add %a, %b : tensor<f32>
              stablehlo.return %1 : tensor<f32>
          }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }
      })");
  EXPECT_EQ(ir::PrintModule(WithoutShardings(module)), ir::PrintModule(module));
}

TEST(WithoutShardings, LeavesProgramsForOneDevice) {
  const ir::Module module = Parsed(
      "func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }");
  EXPECT_EQ(WithoutShardings(module), module);
}

}  // namespace
}  // namespace acceld::pjrt
