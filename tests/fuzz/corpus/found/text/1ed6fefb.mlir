module @emitlenewse attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> {jax.x = "a"}, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32> {jax.result_info = ""}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<2x3xf32>
    %2 = stablehlo.compare  GT, %1, %arg1,  FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %3 = stablehlo.select %2, %1, %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
    %4 = stablehlo.reduce_precision %3, format = e5m10 : tensor<2x3xf32>
    %5 = chlo.square %4 : tensor<2x3xf32> -> tensor<2x3xf32>
    return %5 : tensor<2x3xf.return %9