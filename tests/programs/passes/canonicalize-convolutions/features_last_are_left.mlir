// Features last everywhere is what the library takes.
// run: canonicalize-convolutions
func.func @main(%x: tensor<2x8x8x8xf32>, %k: tensor<3x3x8x8xf32>) -> tensor<2x8x8x8xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x8xf32>, tensor<3x3x8x8xf32>) -> tensor<2x8x8x8xf32>
  return %0 : tensor<2x8x8x8xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x8x8xf32>, %1: tensor<3x3x8x8xf32>) -> tensor<2x8x8x8xf32> {
    %2 = "stablehlo.convolution"(%0, %1) <{dimension_numbers = #stablehlo.conv<input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>, window_strides = array<i64: 1, 1>}> : (tensor<2x8x8x8xf32>, tensor<3x3x8x8xf32>) -> tensor<2x8x8x8xf32>
    return %2 : tensor<2x8x8x8xf32>
  }
}
