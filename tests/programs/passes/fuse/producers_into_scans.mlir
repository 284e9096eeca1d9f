// What is scanned is computed inside the scan; a piece's total is read, and moved on, inside the next one.
// run: split-scans, isolate-nests, fuse
func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<1048576xf32>
  %0 = "stablehlo.reduce_window"(%e, %z) <{window_dimensions = array<i64: 1048576>, padding = dense<[[1048575, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1048576xf32>, tensor<f32>) -> tensor<1048576xf32>
  return %0 : tensor<1048576xf32>
}
// expect
module {
  func.func public @main(%0: tensor<1048576xf32>) -> tensor<1048576xf32> {
    %1 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%2: tensor<1048576xf32>):
      %3 = stablehlo.exponential %2 : tensor<1048576xf32>
      %4 = stablehlo.reshape %3 : (tensor<1048576xf32>) -> tensor<64x16384xf32>
      %5 = stablehlo.constant dense<0.0> : tensor<f32>
      %6 = "stablehlo.reduce_window"(%4, %5) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [16383, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16384>, window_strides = array<i64: 1, 1>}> ({
      ^bb0(%7: tensor<f32>, %8: tensor<f32>):
        %9 = stablehlo.add %7, %8 : tensor<f32>
        stablehlo.return %9 : tensor<f32>
      }) : (tensor<64x16384xf32>, tensor<f32>) -> tensor<64x16384xf32>
      stablehlo.return %6 : tensor<64x16384xf32>
    }) : (tensor<1048576xf32>) -> tensor<64x16384xf32>
    %10 = "acceld.fusion"(%1) <{kind = reduction}> ({
    ^bb0(%11: tensor<64x16384xf32>):
      %12 = stablehlo.slice %11 [0:64, 16383:16384] : (tensor<64x16384xf32>) -> tensor<64x1xf32>
      %13 = stablehlo.reshape %12 : (tensor<64x1xf32>) -> tensor<64xf32>
      %14 = stablehlo.constant dense<0.0> : tensor<f32>
      %15 = stablehlo.pad %13, %14, low = [1], high = [-1], interior = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
      %16 = stablehlo.constant dense<0.0> : tensor<f32>
      %17 = "stablehlo.reduce_window"(%15, %16) <{base_dilations = array<i64: 1>, padding = dense<[[63, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 64>, window_strides = array<i64: 1>}> ({
      ^bb0(%18: tensor<f32>, %19: tensor<f32>):
        %20 = stablehlo.add %18, %19 : tensor<f32>
        stablehlo.return %20 : tensor<f32>
      }) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
      stablehlo.return %17 : tensor<64xf32>
    }) : (tensor<64x16384xf32>) -> tensor<64xf32>
    %21 = "acceld.fusion"(%10, %1) ({
    ^bb0(%22: tensor<64xf32>, %23: tensor<64x16384xf32>):
      %24 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<64xf32>) -> tensor<64x16384xf32>
      %25 = stablehlo.add %24, %23 : tensor<64x16384xf32>
      stablehlo.return %25 : tensor<64x16384xf32>
    }) : (tensor<64xf32>, tensor<64x16384xf32>) -> tensor<64x16384xf32>
    %26 = stablehlo.reshape %21 : (tensor<64x16384xf32>) -> tensor<1048576xf32>
    return %26 : tensor<1048576xf32>
  }
}
