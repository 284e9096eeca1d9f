module {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %i: tensor<i32>) -> tensor<1x3x2xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}, {}]> : tensor<2x3x5xf32>
    %2 = stablehlo.dynamic_slice %1, %i, %i, %i, sizes = [1, 3, 5] : (tensor<2x3x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x5xf32>
    %3 = stablehlo.slice %2 [0:1, 0:3, 1:5:2] : (tensor<1x3x5xf32>) -> tensor<1x3x2xf32>
    %4 = stablehlo.custom_call @Sharding(%3) {api_version = 4 : i32, backend_config = {a = 1 : i64, b = "x"}, mhlo.sharding = "{replicated}"} : (tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
    %5 = stablehlo.optimization_barrier %4 : tensor<1x3x2xf32>
    return %5 : tensor<1x3x2xf32>
  }
}
