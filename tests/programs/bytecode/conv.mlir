module @jit_conv attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x4x5x6xf32>, %arg1: tensor<4x2x3x2xf32>) -> (tensor<1x4x2x5xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 0], [-1, 2]], rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x5x6xf32>, tensor<4x2x3x2xf32>) -> tensor<1x4x2x5xf32>
    return %0 : tensor<1x4x2x5xf32>
  }
}
