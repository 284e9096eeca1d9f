module @jit_selu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1000000xf32>) -> (tensor<1000000xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1000000xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<1000000xf32>, tensor<1000000xf32>) -> tensor<1000000xi1>
    %2 = stablehlo.exponential %arg0 : tensor<1000000xf32>
    %cst_0 = stablehlo.constant dense<1.670000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1000000xf32>
    %4 = stablehlo.multiply %3, %2 : tensor<1000000xf32>
    %cst_1 = stablehlo.constant dense<1.670000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1000000xf32>
    %6 = stablehlo.subtract %4, %5 : tensor<1000000xf32>
    %7 = call @_where(%1, %arg0, %6) : (tensor<1000000xi1>, tensor<1000000xf32>, tensor<1000000xf32>) -> tensor<1000000xf32>
    %cst_2 = stablehlo.constant dense<1.050000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1000000xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<1000000xf32>
    return %9 : tensor<1000000xf32>
  }
  func.func private @_where(%arg0: tensor<1000000xi1>, %arg1: tensor<1000000xf32>, %arg2: tensor<1000000xf32>) -> tensor<1000000xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<1000000xi1>, tensor<1000000xf32>
    return %0 : tensor<1000000xf32>
  }
}
