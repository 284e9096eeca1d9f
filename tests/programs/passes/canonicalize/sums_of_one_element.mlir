// A reduction over dimensions of size 1 is an elementwise op; one that really reduces stays.
// run: canonicalize
func.func @main(%x: tensor<4x1xf32>, %z: tensor<f32>) -> (tensor<4xf32>, tensor<1xf32>) {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<4x1xf32>, tensor<f32>) -> tensor<1xf32>
  return %0, %1 : tensor<4xf32>, tensor<1xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4x1xf32>, %1: tensor<f32>) -> (tensor<4xf32>, tensor<1xf32>) {
    %2 = stablehlo.reshape %0 : (tensor<4x1xf32>) -> tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.add %3, %2 : tensor<4xf32>
    %5 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%6: tensor<f32>, %7: tensor<f32>):
      %8 = stablehlo.maximum %6, %7 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<4x1xf32>, tensor<f32>) -> tensor<1xf32>
    return %4, %5 : tensor<4xf32>, tensor<1xf32>
  }
}
