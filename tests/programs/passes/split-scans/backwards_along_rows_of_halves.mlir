// Backwards, in the middle of three dimensions, with a length that is no multiple: in f32 until the end.
// run: split-scans
func.func @main(%x: tensor<2x100003x3xbf16>) -> tensor<2x100003x3xbf16> {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 100003, 1>, padding = dense<[[0, 0], [0, 100002], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %1 = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %1 : tensor<bf16>
  }) : (tensor<2x100003x3xbf16>, tensor<bf16>) -> tensor<2x100003x3xbf16>
  return %0 : tensor<2x100003x3xbf16>
}
// expect
module {
  func.func public @main(%0: tensor<2x100003x3xbf16>) -> tensor<2x100003x3xbf16> {
    %1 = stablehlo.constant dense<0.0> : tensor<bf16>
    %2 = stablehlo.convert %0 : (tensor<2x100003x3xbf16>) -> tensor<2x100003x3xf32>
    %3 = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.pad %2, %3, low = [0, 0, 0], high = [0, 2397, 0], interior = [0, 0, 0] : (tensor<2x100003x3xf32>, tensor<f32>) -> tensor<2x102400x3xf32>
    %5 = stablehlo.reshape %4 : (tensor<2x102400x3xf32>) -> tensor<2x25x4096x3xf32>
    %6 = stablehlo.constant dense<0.0> : tensor<f32>
    %7 = "stablehlo.reduce_window"(%5, %6) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 4095], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 4096, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%8: tensor<f32>, %9: tensor<f32>):
      %10 = stablehlo.add %8, %9 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<2x25x4096x3xf32>, tensor<f32>) -> tensor<2x25x4096x3xf32>
    %11 = stablehlo.slice %7 [0:2, 0:25, 0:1, 0:3] : (tensor<2x25x4096x3xf32>) -> tensor<2x25x1x3xf32>
    %12 = stablehlo.reshape %11 : (tensor<2x25x1x3xf32>) -> tensor<2x25x3xf32>
    %13 = stablehlo.constant dense<0.0> : tensor<f32>
    %14 = stablehlo.pad %12, %13, low = [0, -1, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<2x25x3xf32>, tensor<f32>) -> tensor<2x25x3xf32>
    %15 = stablehlo.constant dense<0.0> : tensor<f32>
    %16 = "stablehlo.reduce_window"(%14, %15) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 24], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 25, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%17: tensor<f32>, %18: tensor<f32>):
      %19 = stablehlo.add %17, %18 : tensor<f32>
      stablehlo.return %19 : tensor<f32>
    }) : (tensor<2x25x3xf32>, tensor<f32>) -> tensor<2x25x3xf32>
    %20 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 3] : (tensor<2x25x3xf32>) -> tensor<2x25x4096x3xf32>
    %21 = stablehlo.add %20, %7 : tensor<2x25x4096x3xf32>
    %22 = stablehlo.reshape %21 : (tensor<2x25x4096x3xf32>) -> tensor<2x102400x3xf32>
    %23 = stablehlo.slice %22 [0:2, 0:100003, 0:3] : (tensor<2x102400x3xf32>) -> tensor<2x100003x3xf32>
    %24 = stablehlo.convert %23 : (tensor<2x100003x3xf32>) -> tensor<2x100003x3xbf16>
    return %24 : tensor<2x100003x3xbf16>
  }
}
