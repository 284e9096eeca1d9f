// Features first everywhere: neighbours are read together there too.
// run: canonicalize-convolutions
func.func @main(%x: tensor<2x8x8x8xf32>, %k: tensor<8x8x3x3xf32>) -> tensor<2x8x8x8xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x8x8xf32>
  return %0 : tensor<2x8x8x8xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x8x8xf32>, %1: tensor<8x8x3x3xf32>) -> tensor<2x8x8x8xf32> {
    %2 = "stablehlo.convolution"(%0, %1) <{dimension_numbers = #stablehlo.conv<input_feature_dimension = 1, input_spatial_dimensions = [2, 3], kernel_input_feature_dimension = 1, kernel_spatial_dimensions = [2, 3], output_feature_dimension = 1, output_spatial_dimensions = [2, 3]>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>, window_strides = array<i64: 1, 1>}> : (tensor<2x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x8x8xf32>
    return %2 : tensor<2x8x8x8xf32>
  }
}
