// Reductions with the same body are one, however their values are numbered.
// run: cse
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%3: tensor<f32>, %4: tensor<f32>):
      %5 = stablehlo.add %3, %4 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%7: tensor<f32>, %8: tensor<f32>):
      %9 = stablehlo.maximum %7, %8 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %2, %2, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
