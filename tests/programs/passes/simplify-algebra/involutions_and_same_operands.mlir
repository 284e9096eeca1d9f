// Negating twice, and the maximum of a value and itself.
// run: simplify-algebra, dce
func.func @main(%x: tensor<4xf32>, %p: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  %2 = stablehlo.maximum %x, %x : tensor<4xf32>
  %3 = stablehlo.not %p : tensor<4xi1>
  %4 = stablehlo.not %3 : tensor<4xi1>
  return %1, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
    return %0, %0, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
  }
}
