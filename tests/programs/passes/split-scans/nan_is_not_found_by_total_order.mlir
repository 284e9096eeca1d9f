// In its total order no value differs from itself: equal infinities would give NaN.
// run: split-scans
func.func @main(%x: tensor<524288xf32>) -> tensor<524288xf32> {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 524288>, padding = dense<[[524287, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    %2 = stablehlo.subtract %a, %b : tensor<f32>
    %3 = stablehlo.compare NE, %2, %2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.add %a, %b : tensor<f32>
    %5 = stablehlo.abs %2 : tensor<f32>
    %6 = stablehlo.negate %5 : tensor<f32>
    %7 = stablehlo.exponential %6 : tensor<f32>
    %8 = stablehlo.log_plus_one %7 : tensor<f32>
    %9 = stablehlo.add %1, %8 : tensor<f32>
    %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }) : (tensor<524288xf32>, tensor<f32>) -> tensor<524288xf32>
  return %0 : tensor<524288xf32>
}
// expect
module {
  func.func public @main(%0: tensor<524288xf32>) -> tensor<524288xf32> {
    %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = "stablehlo.reduce_window"(%0, %1) <{padding = dense<[[524287, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 524288>}> ({
    ^bb0(%3: tensor<f32>, %4: tensor<f32>):
      %5 = stablehlo.maximum %3, %4 : tensor<f32>
      %6 = stablehlo.subtract %3, %4 : tensor<f32>
      %7 = stablehlo.compare NE, %6, %6, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %8 = stablehlo.add %3, %4 : tensor<f32>
      %9 = stablehlo.abs %6 : tensor<f32>
      %10 = stablehlo.negate %9 : tensor<f32>
      %11 = stablehlo.exponential %10 : tensor<f32>
      %12 = stablehlo.log_plus_one %11 : tensor<f32>
      %13 = stablehlo.add %5, %12 : tensor<f32>
      %14 = stablehlo.select %7, %8, %13 : tensor<i1>, tensor<f32>
      stablehlo.return %14 : tensor<f32>
    }) : (tensor<524288xf32>, tensor<f32>) -> tensor<524288xf32>
    return %2 : tensor<524288xf32>
  }
}
