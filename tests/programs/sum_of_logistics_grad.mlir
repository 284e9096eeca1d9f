module @jit_sum_of_logistics attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3000xf32>) -> (tensor<3000xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.negate %arg0 : tensor<3000xf32>
    %1 = stablehlo.exponential %0 : tensor<3000xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3000xf32>
    %3 = stablehlo.add %2, %1 : tensor<3000xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<3000xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3000xf32>
    %6 = stablehlo.divide %5, %4 : tensor<3000xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3000xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<3000xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3000xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<3000xf32>
    %11 = stablehlo.negate %10 : tensor<3000xf32>
    %12 = stablehlo.multiply %11, %1 : tensor<3000xf32>
    %13 = stablehlo.negate %12 : tensor<3000xf32>
    return %13 : tensor<3000xf32>
  }
}
