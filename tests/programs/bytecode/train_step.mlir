module @jit_loss attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<4x3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3x2xf32> {jax.result_info = "result[1][0]"}, tensor<2xf32> {jax.result_info = "result[1][1]"}) {
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<4x2xf32>
    %3 = stablehlo.add %0, %2 : tensor<4x2xf32>
    %4 = stablehlo.tanh %3 : tensor<4x2xf32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %6 = stablehlo.subtract %5, %4 : tensor<4x2xf32>
    %7 = stablehlo.multiply %4, %4 : tensor<4x2xf32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %9 = stablehlo.multiply %8, %4 : tensor<4x2xf32>
    %10 = stablehlo.reduce(%7 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
    %11 = stablehlo.divide %10, %cst : tensor<f32>
    %12 = stablehlo.divide %cst_2, %cst : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %14 = stablehlo.multiply %13, %9 : tensor<4x2xf32>
    %15 = stablehlo.multiply %14, %6 : tensor<4x2xf32>
    %16 = stablehlo.multiply %15, %4 : tensor<4x2xf32>
    %17 = stablehlo.add %15, %16 : tensor<4x2xf32>
    %18 = stablehlo.reduce(%17 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    %19 = stablehlo.reshape %18 : (tensor<2xf32>) -> tensor<1x2xf32>
    %20 = stablehlo.reduce(%19 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<1x2xf32>, tensor<f32>) -> tensor<2xf32>
    %21 = stablehlo.dot_general %17, %arg2, contracting_dims = [0] x [0] : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    return %11, %22, %20 : tensor<f32>, tensor<3x2xf32>, tensor<2xf32>
  }
}
