// Pieces are scanned, then their last values, and what comes before each piece joins all of its values.
// run: split-scans
func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1048576>, padding = dense<[[1048575, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1048576xf32>, tensor<f32>) -> tensor<1048576xf32>
  return %0 : tensor<1048576xf32>
}
// expect
module {
  func.func public @main(%0: tensor<1048576xf32>) -> tensor<1048576xf32> {
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reshape %0 : (tensor<1048576xf32>) -> tensor<64x16384xf32>
    %3 = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = "stablehlo.reduce_window"(%2, %3) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [16383, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16384>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%5: tensor<f32>, %6: tensor<f32>):
      %7 = stablehlo.add %5, %6 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<64x16384xf32>, tensor<f32>) -> tensor<64x16384xf32>
    %8 = stablehlo.slice %4 [0:64, 16383:16384] : (tensor<64x16384xf32>) -> tensor<64x1xf32>
    %9 = stablehlo.reshape %8 : (tensor<64x1xf32>) -> tensor<64xf32>
    %10 = stablehlo.constant dense<0.0> : tensor<f32>
    %11 = stablehlo.pad %9, %10, low = [1], high = [-1], interior = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %12 = stablehlo.constant dense<0.0> : tensor<f32>
    %13 = "stablehlo.reduce_window"(%11, %12) <{base_dilations = array<i64: 1>, padding = dense<[[63, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 64>, window_strides = array<i64: 1>}> ({
    ^bb0(%14: tensor<f32>, %15: tensor<f32>):
      %16 = stablehlo.add %14, %15 : tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %17 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<64xf32>) -> tensor<64x16384xf32>
    %18 = stablehlo.add %17, %4 : tensor<64x16384xf32>
    %19 = stablehlo.reshape %18 : (tensor<64x16384xf32>) -> tensor<1048576xf32>
    return %19 : tensor<1048576xf32>
  }
}
