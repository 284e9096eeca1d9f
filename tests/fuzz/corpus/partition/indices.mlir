module @indices attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2]>
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %i: tensor<3x1xi32>) -> (tensor<3x4xf32>, tensor<6x4xf32>, tensor<8x2xf32>) {
    %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
    %1 = stablehlo.slice %a [1:7, 0:4] : (tensor<8x4xf32>) -> tensor<6x4xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.dynamic_slice %a, %zero, %zero, sizes = [8, 2] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
    return %0, %1, %2 : tensor<3x4xf32>, tensor<6x4xf32>, tensor<8x2xf32>
  }
}
