// Too few elements, many lines, an initial value that counts, and a difference.
// run: split-scans
func.func @main(%x: tensor<4096xf32>, %y: tensor<64x8192xf32>, %z: tensor<524288xf32>) -> (tensor<4096xf32>, tensor<64x8192xf32>, tensor<524288xf32>, tensor<524288xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %d = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 4096>, padding = dense<[[4095, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %8 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %8 : tensor<f32>
  }) : (tensor<4096xf32>, tensor<f32>) -> tensor<4096xf32>
  %1 = "stablehlo.reduce_window"(%y, %c) <{window_dimensions = array<i64: 1, 8192>, padding = dense<[[0, 0], [8191, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %8 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %8 : tensor<f32>
  }) : (tensor<64x8192xf32>, tensor<f32>) -> tensor<64x8192xf32>
  %2 = "stablehlo.reduce_window"(%z, %d) <{window_dimensions = array<i64: 524288>, padding = dense<[[524287, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %8 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %8 : tensor<f32>
  }) : (tensor<524288xf32>, tensor<f32>) -> tensor<524288xf32>
  %3 = "stablehlo.reduce_window"(%z, %c) <{window_dimensions = array<i64: 524288>, padding = dense<[[524287, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %8 = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %8 : tensor<f32>
  }) : (tensor<524288xf32>, tensor<f32>) -> tensor<524288xf32>
  return %0, %1, %2, %3 : tensor<4096xf32>, tensor<64x8192xf32>, tensor<524288xf32>, tensor<524288xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4096xf32>, %1: tensor<64x8192xf32>, %2: tensor<524288xf32>) -> (tensor<4096xf32>, tensor<64x8192xf32>, tensor<524288xf32>, tensor<524288xf32>) {
    %3 = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.constant dense<1.0> : tensor<f32>
    %5 = "stablehlo.reduce_window"(%0, %3) <{padding = dense<[[4095, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4096>}> ({
    ^bb0(%6: tensor<f32>, %7: tensor<f32>):
      %8 = stablehlo.add %6, %7 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<4096xf32>, tensor<f32>) -> tensor<4096xf32>
    %9 = "stablehlo.reduce_window"(%1, %3) <{padding = dense<[[0, 0], [8191, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 8192>}> ({
    ^bb0(%10: tensor<f32>, %11: tensor<f32>):
      %12 = stablehlo.add %10, %11 : tensor<f32>
      stablehlo.return %12 : tensor<f32>
    }) : (tensor<64x8192xf32>, tensor<f32>) -> tensor<64x8192xf32>
    %13 = "stablehlo.reduce_window"(%2, %4) <{padding = dense<[[524287, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 524288>}> ({
    ^bb0(%14: tensor<f32>, %15: tensor<f32>):
      %16 = stablehlo.add %14, %15 : tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }) : (tensor<524288xf32>, tensor<f32>) -> tensor<524288xf32>
    %17 = "stablehlo.reduce_window"(%2, %3) <{padding = dense<[[524287, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 524288>}> ({
    ^bb0(%18: tensor<f32>, %19: tensor<f32>):
      %20 = stablehlo.subtract %18, %19 : tensor<f32>
      stablehlo.return %20 : tensor<f32>
    }) : (tensor<524288xf32>, tensor<f32>) -> tensor<524288xf32>
    return %5, %9, %13, %17 : tensor<4096xf32>, tensor<64x8192xf32>, tensor<524288xf32>, tensor<524288xf32>
  }
}
