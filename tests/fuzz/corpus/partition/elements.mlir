module @elements attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.add %a, %b : tensor<4x8xf32>
    %1 = sdy.sharding_constraint %0 <@m, [{"x", "y"}, {?}]> : tensor<4x8xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %3 = stablehlo.reverse %2, dims = [0] : tensor<8x4xf32>
    return %3 : tensor<8x4xf32>
  }
}
