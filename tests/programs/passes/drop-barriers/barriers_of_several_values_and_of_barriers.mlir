// Each result is the operand at its place, also where barriers follow each other.
// run: drop-barriers
func.func @main(%x: tensor<4xf32>, %y: tensor<2xi32>) -> (tensor<2xi32>, tensor<4xf32>) {
  %0:2 = stablehlo.optimization_barrier %x, %y : tensor<4xf32>, tensor<2xi32>
  %1 = stablehlo.optimization_barrier %0#1 : tensor<2xi32>
  return %1, %0#0 : tensor<2xi32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<2xi32>) -> (tensor<2xi32>, tensor<4xf32>) {
    return %1, %0 : tensor<2xi32>, tensor<4xf32>
  }
}
