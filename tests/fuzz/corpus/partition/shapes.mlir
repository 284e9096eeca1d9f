module @shapes attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=4, "y"=2]>
  sdy.mesh @n = <["a"=2, "b"=2, "c"=2]>
  func.func public @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2}, {"y"}]>}, %b: tensor<128xf32> {sdy.sharding = #sdy.sharding<@n, [{"a", "c"}]>}) -> (tensor<4x4x8xf32>, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p1, {?}]>}, tensor<32x8xf32>) {
    %0 = stablehlo.reshape %a : (tensor<16x8xf32>) -> tensor<4x4x8xf32>
    %1 = stablehlo.reshape %b : (tensor<128xf32>) -> tensor<16x8xf32>
    %2 = stablehlo.concatenate %a, %1, dim = 0 : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
    return %0, %1, %2 : tensor<4x4x8xf32>, tensor<16x8xf32>, tensor<32x8xf32>
  }
}
