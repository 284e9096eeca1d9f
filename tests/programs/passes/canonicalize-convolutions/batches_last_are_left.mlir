// Batches last: they are the neighbours that are read together.
// run: canonicalize-convolutions
func.func @main(%x: tensor<8x8x8x2xf32>, %k: tensor<8x3x3x8xf32>) -> tensor<8x8x8x2xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[f, 0, 1, b], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x8x8x2xf32>, tensor<8x3x3x8xf32>) -> tensor<8x8x8x2xf32>
  return %0 : tensor<8x8x8x2xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8x8x8x2xf32>, %1: tensor<8x3x3x8xf32>) -> tensor<8x8x8x2xf32> {
    %2 = "stablehlo.convolution"(%0, %1) <{dimension_numbers = #stablehlo.conv<input_batch_dimension = 3, input_spatial_dimensions = [1, 2], kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [1, 2], output_batch_dimension = 3, output_spatial_dimensions = [1, 2]>, padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>, window_strides = array<i64: 1, 1>}> : (tensor<8x8x8x2xf32>, tensor<8x3x3x8xf32>) -> tensor<8x8x8x2xf32>
    return %2 : tensor<8x8x8x2xf32>
  }
}
