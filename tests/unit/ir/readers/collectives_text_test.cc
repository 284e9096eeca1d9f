// Collectives in text, which are printed with all that jaxlib needs to read them, and limits of
// meshes.
#include <string>

#include "absl/strings/str_cat.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

// Collectives of the processes that have %x, as JAX's shard_map writes them.
constexpr char kCollectives[] =
    R"(module @m attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%0: tensor<2x4xf32>, %1: tensor<i64>) -> tensor<4x4xf32> {
    %2 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<2x4xf32>) -> tensor<4x4xf32>
    %3 = "stablehlo.all_to_all"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = "stablehlo.collective_broadcast"(%0) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = "stablehlo.collective_permute"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %6 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %7 = "stablehlo.reduce_scatter"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%8: tensor<f32>, %9: tensor<f32>):
      %10 = stablehlo.add %8, %9 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x1xf32>
    %11 = "stablehlo.collective_reduce"(%0, %1) <{has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%12: tensor<f32>, %13: tensor<f32>):
      %14 = stablehlo.maximum %12, %13 : tensor<f32>
      stablehlo.return %14 : tensor<f32>
    }) : (tensor<2x4xf32>, tensor<i64>) -> tensor<2x4xf32>
    %15 = stablehlo.replica_id : tensor<ui32>
    return %2 : tensor<4x4xf32>
  }
}
)";

TEST(CollectivesText, HaveAllAttributesThatStableHloRequires) {
  const auto module = ParseModule(kCollectives, "m.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(PrintModule(*module), kCollectives);
}

TEST(MeshText, MeshesHaveFewAxes) {
  std::string axes = "\"a\"=2";
  for (int i = 0; i < 64; ++i) absl::StrAppend(&axes, ", \"a", i, "\"=1");
  const auto module = ParseModule(
      absl::StrCat("module attributes {mhlo.num_partitions = 2 : i32} {\nsdy.mesh @m = <[", axes,
                   "]>\n}"),
      "m.mlir");
  EXPECT_THAT(std::string(module.status().message()),
              ::testing::HasSubstr("a mesh has 65 axes, above the limit of 64"));
}

}  // namespace
}  // namespace acceld::ir
