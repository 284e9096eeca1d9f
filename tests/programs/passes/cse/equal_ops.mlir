// Ops that compute the same become one, and so do those that then are equal.
// run: cse
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  %1 = stablehlo.add %x, %y : tensor<4xf32>
  %2 = stablehlo.sine %0 : tensor<4xf32>
  %3 = stablehlo.sine %1 : tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %2 = stablehlo.add %0, %1 : tensor<4xf32>
    %3 = stablehlo.sine %2 : tensor<4xf32>
    return %3, %3 : tensor<4xf32>, tensor<4xf32>
  }
}
