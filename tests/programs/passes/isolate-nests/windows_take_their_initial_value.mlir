// A window over a constant initial value takes the constant along. A cumulative one, which is recognized by it, gets it
// right before itself: fusion takes both.
// run: isolate-nests
func.func @main(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<5xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 6>, padding = dense<[[5, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return %0, %1 : tensor<6xf32>, tensor<5xf32>
}
// expect
module {
  func.func public @main(%0: tensor<6xf32>) -> (tensor<6xf32>, tensor<5xf32>) {
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = "stablehlo.reduce_window"(%0, %2) <{padding = dense<[[5, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 6>}> ({
    ^bb0(%4: tensor<f32>, %5: tensor<f32>):
      %6 = stablehlo.add %4, %5 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
    %7 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%8: tensor<6xf32>):
      %9 = stablehlo.constant dense<0.0> : tensor<f32>
      %10 = "stablehlo.reduce_window"(%8, %9) <{window_dimensions = array<i64: 2>}> ({
      ^bb0(%11: tensor<f32>, %12: tensor<f32>):
        %13 = stablehlo.add %11, %12 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
      stablehlo.return %10 : tensor<5xf32>
    }) : (tensor<6xf32>) -> tensor<5xf32>
    return %3, %7 : tensor<6xf32>, tensor<5xf32>
  }
}
